// The verdict follows what is typed; a dropped file is sent. Without this script the buttons do the same.
"use strict";
const form = document.querySelector("form[data-live]");
const result = document.getElementById("result");
const state = form.querySelector("[data-state]");
const WAIT_MS = 500;
let timer, sent;

async function check() {
  sent?.abort();
  const mine = (sent = new AbortController());
  state.textContent = "Checking…";
  try {
    const response = await fetch(form.dataset.live, { method: "POST", body: new URLSearchParams(new FormData(form)), signal: mine.signal });
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    if (mine.signal.aborted) return;
    if (![200, 422].includes(response.status)) throw new Error(String(response.status));
    result.replaceChildren(...page.body.childNodes);
    state.textContent = "Checked";
  } catch (error) {
    if (error.name !== "AbortError") state.textContent = "That did not work: use the button";
  }
}

form.addEventListener("input", () => {
  clearTimeout(timer);
  timer = setTimeout(check, WAIT_MS);
});

const drop = document.querySelector("form[data-drop]");
const chosen = drop.querySelector("input[type=file]");
for (const kind of ["dragover", "dragleave", "drop"]) {
  drop.addEventListener(kind, (event) => {
    event.preventDefault();
    drop.classList.toggle("over", kind === "dragover");
  });
}
drop.addEventListener("drop", (event) => {
  if (!event.dataTransfer.files.length) return;
  chosen.files = event.dataTransfer.files;
  drop.requestSubmit();
});
document.getElementById("rubric").addEventListener("change", (event) => {
  drop.elements.rubric.value = event.target.value;
});
