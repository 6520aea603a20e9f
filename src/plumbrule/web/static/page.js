// Times in the reader's zone, with UTC in the tooltip, and days; nothing else happens on every page.
"use strict";
for (const time of document.querySelectorAll("time[datetime]")) {
  const at = new Date(time.dateTime);
  if (Number.isNaN(at.getTime())) continue;
  const parts = time.dateTime.includes("T") ? { timeStyle: "short" } : { timeZone: "UTC" };  // a day is the same in every zone
  time.textContent = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", ...parts }).format(at);
}
