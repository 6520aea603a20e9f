// j and k go to the next and the previous sample, as the buttons do.
"use strict";
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select, textarea")) return;
  document.querySelector(`a[data-key="${CSS.escape(event.key)}"]`)?.click();
});
