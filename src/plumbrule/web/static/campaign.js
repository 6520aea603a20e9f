// The form of a new campaign shows what goes with the chosen trigger; the print button prints.
"use strict";
const triggers = document.querySelectorAll("input[name=trigger][data-draw]");
const parts = document.querySelectorAll(".only[data-for]");
function showParts() {
  const chosen = document.querySelector("input[name=trigger]:checked");
  for (const part of parts) {
    part.hidden = !chosen || part.dataset.for !== chosen.dataset.draw;
    for (const field of part.querySelectorAll("input")) field.disabled = part.hidden;
  }
}
for (const trigger of triggers) trigger.addEventListener("change", showParts);
if (triggers.length) showParts();
for (const button of document.querySelectorAll("[data-print]")) button.addEventListener("click", () => window.print());
