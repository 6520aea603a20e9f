// Shows how far a run is while it runs, and loads the page again when its state changes.
"use strict";
const job = document.getElementById("job");
if (job && ["running", "stopping"].includes(job.dataset.state)) {
  const events = new EventSource(job.dataset.events);
  events.onmessage = (message) => {
    const now = JSON.parse(message.data);
    const progress = document.getElementById("progress");
    progress.max = now.total || 1;
    progress.value = now.finished;
    const count = (number) => number.toLocaleString("en-US");
    if (now.total !== null) document.getElementById("done").textContent = count(now.finished) + " of " + count(now.total) + (now.total === 1 ? " task" : " tasks");
    document.getElementById("errors").textContent = count(now.errors);
    if (now.cost_usd !== null) document.getElementById("cost").textContent = now.cost_usd.toFixed(4) + " USD";
    if (now.state !== job.dataset.state) {
      events.close();
      location.reload();
    }
  };
}
