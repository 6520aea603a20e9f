// Lights what belongs to the marked stretch under the pointer or the focus; a click goes to it by its link.
"use strict";
let lit = [];
function light(from) {
  for (const each of lit) each.classList.remove("lit");
  const ids = new Set((from?.dataset.lights ?? "").split(" ").filter(Boolean));
  lit = ids.size ? [...document.querySelectorAll("[data-mark]")].filter((each) => each.dataset.mark.split(" ").some((id) => ids.has(id))) : [];
  for (const each of lit) each.classList.add("lit");
}
for (const kind of ["pointerover", "focusin"]) {
  document.addEventListener(kind, (event) => light(event.target.closest("[data-lights]") ?? document.activeElement?.closest("[data-lights]")));
}
light(document.activeElement?.closest("[data-lights]"));  // a hand may be quicker than this file
