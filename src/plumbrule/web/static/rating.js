// The rating screen under a hand on the keyboard: keys, evidence lit on both sides, drafts saved at every change.
"use strict";
(() => {
  const form = document.getElementById("rating") || document.createElement("form");
  const standing = document.getElementById("standing");
  const rows = [...form.querySelectorAll(".dimension")];
  const editable = form.elements.holds?.value === "yes";
  const texts = [...form.querySelectorAll("textarea")];
  let active = 0;

  // Evidence: whatever shares a reference is lit together.
  const linked = [...document.querySelectorAll("[data-refs]")];
  const refsOf = (element) => (element.dataset.refs || "").split(" ");
  const within = (pane, element) => pane.getBoundingClientRect().top <= element.getBoundingClientRect().top
    && pane.getBoundingClientRect().bottom >= element.getBoundingClientRect().bottom;
  const light = (refs, from) => {  // on the own side only the piece itself, on the other side all that belongs to it
    const met = new Set();
    for (const element of linked) {
      const pane = element.closest(".pane");
      const near = from !== null && pane === from.closest(".pane");
      const belongs = refsOf(element).some((ref) => refs.includes(ref));
      const lit = near ? element.contains(from) || from.contains(element) : belongs;
      element.classList.toggle("lit", lit);
      if (lit && pane && !near && !met.has(pane)) {
        met.add(pane);
        if (!within(pane, element)) element.scrollIntoView({ block: "nearest" });
      }
    }
    for (const passage of document.querySelectorAll("[data-passage-refs]")) {
      const lit = passage.dataset.passageRefs.split(" ").some((ref) => refs.includes(ref));
      passage.classList.toggle("lit", lit);
    }
  };
  for (const element of linked) {
    element.addEventListener("mouseenter", () => light(refsOf(element), element));
    element.addEventListener("mouseleave", () => light([], null));
    element.addEventListener("focus", () => light(refsOf(element), element));
    element.addEventListener("blur", () => light([], null));
  }
  const stops = [...document.querySelectorAll("a.cite, mark[data-refs], .loose")];
  let stop = -1;
  const nextEvidence = () => {
    if (!stops.length) return;
    stop = (stop + 1) % stops.length;
    stops[stop].focus();
  };

  // Passages.
  const passages = [...document.querySelectorAll(".pane.passages .passage")];
  let shown = -1;
  const walk = (step) => {
    if (!passages.length) return;
    shown = Math.min(passages.length - 1, Math.max(0, shown + step));
    passages[shown].focus();
    passages[shown].scrollIntoView({ block: "nearest" });
  };

  // Drafts: one request at a time, the last state wins.
  const history = [];
  const state = () => new URLSearchParams(new FormData(form)).toString();
  let before = state();
  let saving = false;
  let again = false;
  const say = (words) => {
    const line = document.createElement("span");
    line.className = "needs";
    line.textContent = words;
    standing.replaceChildren(line);
  };
  const hint = (words) => {  // beside what stands there, until the next change
    if (!words) return;
    standing.querySelector(".hint")?.remove();
    const line = document.createElement("span");
    line.className = "needs hint";
    line.textContent = `${words}.`;
    standing.append(line);
  };
  const clock = () => {
    if (!standing) return;
    for (const time of standing.querySelectorAll("time[data-clock]")) {
      time.textContent = new Date(time.dateTime).toLocaleTimeString();
    }
  };
  const save = async () => {
    if (!editable) return;
    if (saving) { again = true; return; }
    saving = true;
    form.dataset.saved = "no";
    try {
      const body = new URLSearchParams(new FormData(form));
      body.set("do", "draft");
      const answer = await fetch(form.action, { method: "POST", body, headers: { accept: "application/json" } });
      const told = await answer.json();
      if (answer.ok) {
        standing.innerHTML = told.html;
        clock();
        form.dataset.saved = again ? "no" : "yes";
      } else say(`Not saved: ${told.error}`);
    } catch {
      say("Not saved: the server does not answer. Your entries stay on this page.");
    }
    saving = false;
    if (again) { again = false; save(); }
  };
  const changed = () => {
    history.push(before);
    before = state();
    save();
  };
  const restore = (kept) => {  // and go back to the dimension that it was about, so that the next key is for it
    const fields = new URLSearchParams(kept);
    let turned = -1;
    rows.forEach((row, index) => {
      for (const input of row.querySelectorAll("input")) {
        const was = fields.getAll(input.name).includes(input.value);
        if (input.checked !== was) turned = index;
        input.checked = was;
      }
    });
    for (const text of texts) text.value = fields.get(text.name) || "";
    before = state();
    save();
    if (turned >= 0) focusRow(turned);
  };
  let typing = 0;
  const acceptOf = (row) => row.querySelector("input[name=accepted]");
  const accept = (row) => {  // take over what is proposed
    const input = row.querySelector(`input[type=radio][value="${acceptOf(row).dataset.level}"]`);
    if (input && !input.disabled) input.checked = true;
    acceptOf(row).checked = true;
  };
  form.addEventListener("change", (event) => {
    const row = event.target.closest(".dimension");
    if (event.target.type === "radio") {
      if (acceptOf(row)) acceptOf(row).checked = false;  // a level that is chosen is one's own
      changed();
    } else if (event.target.type === "checkbox") {
      if (event.target.checked) accept(row);
      changed();
    }
  });
  form.addEventListener("input", (event) => {
    if (event.target.tagName !== "TEXTAREA") return;
    clearTimeout(typing);
    typing = setTimeout(changed, 400);
  });
  for (const text of texts) text.addEventListener("blur", () => { if (before !== state()) { clearTimeout(typing); changed(); } });

  // Dimensions.
  const focusRow = (index) => {
    active = Math.min(rows.length - 1, Math.max(0, index));
    const row = rows[active];
    const input = row.querySelector("input[type=radio]:checked") || row.querySelector("input[type=radio]:not([disabled])");
    for (const each of rows) each.classList.toggle("active", each === row);
    if (input) input.focus({ preventScroll: false });
  };
  rows.forEach((row, index) => row.addEventListener("focusin", () => {
    active = index;
    for (const each of rows) each.classList.toggle("active", each === row);
  }));
  const press = (key) => {
    const input = rows[active]?.querySelector(`input[data-press="${key}"]`);
    if (!input) return;
    if (input.disabled) { hint(input.closest("label").title); return; }
    input.checked = true;
    if (acceptOf(rows[active])) acceptOf(rows[active]).checked = false;
    changed();
    focusRow(active + 1);
  };

  const toggle = (id) => document.getElementById(id)?.togglePopover();
  document.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      const submit = document.getElementById("submit");
      if (submit) form.requestSubmit(submit);
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.tagName === "TEXTAREA" || (event.target.tagName === "INPUT" && !["radio", "checkbox"].includes(event.target.type))) {
      if (event.key === "Escape") { event.preventDefault(); focusRow(active); }
      return;
    }
    const does = {
      j: () => walk(1), k: () => walk(-1), e: nextEvidence,
      n: () => document.getElementById("notes")?.focus(),
      d: () => { if (rows.length) toggle(`about-${rows[active].dataset.key}`); },
      u: () => { if (history.length) restore(history.pop()); },
      q: () => document.getElementById("queue")?.click(),
      a: () => {
        if (!rows[active] || !acceptOf(rows[active])) return;
        accept(rows[active]);
        changed();
        focusRow(active + 1);
      },
      t: () => document.getElementById("take")?.click(),
      g: () => toggle("guidelines"), "?": () => toggle("help"),
    };
    if (/^[0-9]$/.test(event.key)) { event.preventDefault(); press(event.key); }
    else if (does[event.key]) { event.preventDefault(); does[event.key](); }
  });

  // Time left of the claim.
  const left = document.querySelector(".left[data-until]");
  if (left) setInterval(() => {
    const minutes = Math.floor((new Date(left.dataset.until) - Date.now()) / 60000);
    left.textContent = minutes >= 0 ? `${minutes} min left` : "your time is over: submit all the same, or take it again";
    left.classList.toggle("soon", minutes < 5);
  }, 15000);
  clock();
  if (editable) {
    const open = rows.findIndex((row) => !row.querySelector("input[type=radio]:checked"));
    const wanted = form.querySelector("textarea[autofocus]");
    if (wanted) wanted.focus();
    else focusRow(open < 0 ? rows.length - 1 : open);
  }
  document.documentElement.dataset.keys = "ready";
})();
