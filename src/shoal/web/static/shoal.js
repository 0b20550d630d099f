// What the page does beyond plain links and forms: progress, uploads, questions before something is lost.
"use strict";

function text(element, value) {
  if (element) element.textContent = value;
}

function show(section, job) {
  text(section.querySelector("[data-state]"), job.state_said);
  text(section.querySelector("[data-told]"), job.told);
  text(section.querySelector("[data-detail]"), job.detail);
  const bar = section.querySelector("[data-share]");
  if (bar && job.share !== null) {
    bar.max = 1;
    bar.value = job.share;
  } else if (bar) {
    bar.removeAttribute("value");
  }
  const steps = section.querySelector("[data-steps]");
  if (steps) steps.replaceChildren(...job.steps.map(stepLine));
}

function stepLine(step) {
  const line = document.createElement("li");
  const time = document.createElement("span");
  time.className = "step-time quiet";
  time.textContent = `${step.seconds.toFixed(1)} s`;
  line.append(time, ` ${step.told}`);
  return line;
}

function watch(section) {
  const events = new EventSource(`${section.dataset.job}/events`);
  const seconds = section.querySelector("[data-seconds]");
  let begun = Date.now() - 1000 * parseFloat(seconds.textContent);
  let waits = true; // for its turn: the clock does not run
  const clock = setInterval(() => {
    // a section that was swapped away is watched no longer: browsers allow few connections at once
    if (!section.isConnected) stop();
    else if (!waits) text(seconds, `${((Date.now() - begun) / 1000).toFixed(1)} s`);
  }, 200);
  const stop = () => {
    events.close();
    clearInterval(clock);
  };
  events.addEventListener("progress", (event) => {
    const job = JSON.parse(event.data);
    waits = job.state === "waiting";
    begun = Date.now() - 1000 * job.seconds;
    show(section, job);
  });
  events.addEventListener("ended", (event) => {
    stop();
    const done = JSON.parse(event.data).state === "done";
    if (done && section.dataset.then) location.assign(section.dataset.then);
    else location.reload();
  });
  // the browser tries again by itself; when it comes back, the first event says how things stand
  events.addEventListener("error", () => text(section.querySelector("[data-told]"), "no answer from shoal; trying again"));
}

function refuse(form, words) {
  const alert = form.querySelector("[data-refused]");
  text(form.querySelector("[data-message]"), "");
  text(alert, words);
  alert.hidden = false;
  form.querySelector("progress").hidden = true;
  form.querySelector("input[type=file]").value = ""; // so that the same file can be chosen again
}

function send(form, files) {
  const bar = form.querySelector("progress");
  const [file] = files;
  if (files.length > 1) return refuse(form, "These are several files. Drop one table at a time.");
  if (file.size > Number(form.dataset.most)) {
    return refuse(form, "This file is larger than may be sent. Choose it on this machine instead.");
  }
  form.querySelector("[data-refused]").hidden = true;
  const request = new XMLHttpRequest();
  request.open("PUT", `/uploads/${encodeURIComponent(file.name)}`);
  request.responseType = "json";
  request.upload.addEventListener("progress", (event) => {
    bar.hidden = false;
    bar.value = event.loaded / event.total;
  });
  request.addEventListener("load", () => {
    const answer = request.response || {};
    if (request.status < 300) location.assign(answer.address);
    else refuse(form, refusal(answer));
  });
  request.addEventListener("error", () => refuse(form, "The file could not be sent. Is it a file, and not a folder?"));
  text(form.querySelector("[data-message]"), "Sending");
  request.send(file);
}

function refusal(answer) {
  const faults = answer.faults || [{ what: "The file was refused", hint: "Try it again." }];
  const capital = (words) => words.charAt(0).toUpperCase() + words.slice(1);
  return faults.map((fault) => `${capital(fault.what)}. ${capital(fault.hint)}`).join(" ");
}

function prepareUpload(form) {
  const input = form.querySelector("input[type=file]");
  input.addEventListener("change", () => input.files.length && send(form, input.files));
  form.addEventListener("submit", (event) => event.preventDefault());
  // on the whole page: beside the form, a browser would open the file and leave
  document.addEventListener("dragover", (event) => {
    event.preventDefault();
    form.classList.add("over");
  });
  document.addEventListener("dragleave", () => form.classList.remove("over"));
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    form.classList.remove("over");
    if (event.dataTransfer.files.length) send(form, event.dataTransfer.files);
  });
}

function prepareCopy(button) {
  button.addEventListener("click", async () => {
    const words = button.textContent;
    try {
      await navigator.clipboard.writeText(button.parentElement.querySelector("pre").textContent);
      button.textContent = "Copied";
    } catch {
      button.textContent = "Select it, then copy"; // the browser does not let us
    }
    setTimeout(() => (button.textContent = words), 2000);
  });
}

function prepareAsk(form) {
  form.querySelector("textarea").addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit();
  });
  form.addEventListener("submit", () => text(form.querySelector("[data-message]"), "Asking"));
}

function prepare(root) {
  root.querySelectorAll("[data-under-way]").forEach(watch);
  root.querySelectorAll("[data-upload]").forEach(prepareUpload);
  root.querySelectorAll("[data-copy]").forEach(prepareCopy);
  root.querySelectorAll("[data-ask]").forEach(prepareAsk);
}

// The text of a policy is kept as it is typed, and at the latest when it or the page is left.
const MOST_KEPT_ALIVE = 60000; // bytes that browsers send after a page is gone
const PARTS = "#soundness:innerHTML,#made-from,#meanwhile:innerHTML";
let keeping = null; // the request under way
let typedLast = 0;
let keptText = null; // what the server has
let renewing = false; // the text is being replaced, which takes the focus from it

function editor() {
  return document.querySelector("[data-keeps-text]");
}

function isUnkept() {
  const form = editor();
  return form !== null && form.elements.text.value !== keptText;
}

function bodyOf(form) {
  return new URLSearchParams(new FormData(form));
}

function tell(form, words) {
  text(form.querySelector("[data-message]"), words);
}

async function sendText() {
  const form = editor();
  const sent = form.elements.text.value;
  const body = bodyOf(form);
  if (keeping) body.delete("made_from"); // on leaving the page: what it was made from is on its way
  const keepalive = body.toString().length < MOST_KEPT_ALIVE;
  const response = await fetch(form.action, { method: "PUT", body, keepalive, headers: { accept: "text/html" } });
  const page = await response.text();
  const parsed = new DOMParser().parseFromString(page, "text/html");
  if (response.ok) {
    keptText = sent;
    const now = parsed.getElementById("made-from").value;
    document.querySelectorAll("[name=made_from]").forEach((field) => (field.value = now));
    tell(form, "Kept");
    return { page, parts: PARTS };
  }
  if (response.status !== 409 || !parsed.getElementById("made-from")) {
    showTrouble(parsed);
    return null;
  }
  keptText = null;
  return { page, parts: `#text,${PARTS}` }; // what was typed stands in the alert
}

// One request at a time. The cards are renewed a little later, so that a button that is being pressed stays.
async function keepText(wait = 0) {
  if (keeping) await keeping;
  if (!isUnkept()) return;
  keeping = sendText().catch(() => tell(editor(), "Not kept: no answer from shoal"));
  const got = await keeping;
  keeping = null;
  if (!got) return;
  const sequence = typedLast;
  setTimeout(() => {
    if (sequence !== typedLast || !document.getElementById("cards")) return;
    keep();
    htmx.swap("#cards", got.page, { swapStyle: "outerHTML" }, { select: "#cards", selectOOB: got.parts });
    giveBack();
  }, wait);
}

document.addEventListener("input", (event) => {
  if (event.target.id !== "text" || !editor()) return;
  const now = ++typedLast;
  tell(editor(), "");
  setTimeout(() => now === typedLast && keepText(), 600);
});
document.addEventListener("focusout", (event) => event.target.id === "text" && editor() && !renewing && keepText(400));
document.addEventListener("submit", (event) => {
  if (event.target !== editor()) return;
  event.preventDefault();
  keepText();
});
window.addEventListener("pagehide", () => isUnkept() && sendText().catch(() => null));
window.addEventListener("beforeunload", (event) => {
  // what is too long to be sent on leaving, or was refused, would be lost
  if (isUnkept() && bodyOf(editor()).toString().length >= MOST_KEPT_ALIVE) event.preventDefault();
});
// a form waits for the text, whose change it would not know of
document.addEventListener("htmx:confirm", (event) => {
  if (!keeping && !isUnkept()) return;
  event.preventDefault();
  keepText(400).then(() => {
    if (isUnkept()) return;
    typedLast++; // its answer renews the cards
    event.detail.issueRequest(true);
  });
});

// What a form is refused for is said on the page; htmx shows only what went well.
function showTrouble(parsed) {
  let region = document.getElementById("trouble");
  if (!region) {
    region = document.createElement("div");
    region.id = "trouble";
    region.setAttribute("role", "alert");
    document.querySelector("main").prepend(region);
  }
  const faults = parsed && parsed.querySelector(".faults");
  region.replaceChildren(faults ? document.importNode(faults, true) : "This could not be done: no answer from shoal.");
  region.scrollIntoView({ block: "nearest" });
}

document.addEventListener("htmx:beforeSwap", (event) => {
  const { xhr } = event.detail;
  const trouble = document.getElementById("trouble");
  if (trouble) trouble.replaceChildren();
  if (xhr.status < 400) return;
  const parsed = new DOMParser().parseFromString(xhr.responseText, "text/html");
  if (xhr.status === 409 && parsed.getElementById("meanwhile")) event.detail.shouldSwap = true;
  else showTrouble(parsed);
});
document.addEventListener("htmx:sendError", () => showTrouble(null));

// A form that changes itself must not close what is open, nor lose what is being typed meanwhile.
let kept = { open: [], focus: "", typed: null };

function keep() {
  const field = document.activeElement;
  const typing = field && field.id && field.id !== "text" && field.matches("input[type=number], #cards textarea");
  kept = {
    focus: field ? field.id : "",
    open: [...document.querySelectorAll("details[id][open]")].map((details) => details.id),
    typed: typing && field.value !== field.defaultValue ? { id: field.id, value: field.value } : null,
  };
}

function giveBack() {
  kept.open.map((id) => document.getElementById(id)).forEach((details) => details && (details.open = true));
  const focused = kept.focus && document.getElementById(kept.focus);
  if (focused && document.activeElement === document.body) focused.focus();
  const field = kept.typed && document.getElementById(kept.typed.id);
  if (field && field.value !== kept.typed.value) field.value = kept.typed.value;
}

document.addEventListener("submit", (event) => {
  const question = event.target.dataset.confirm;
  if (question && !window.confirm(question)) event.preventDefault();
});
document.addEventListener("DOMContentLoaded", () => {
  prepare(document);
  if (editor()) keptText = editor().elements.text.defaultValue;
});
document.addEventListener("htmx:afterSwap", (event) => event.target !== document.body && prepare(event.detail.target || event.target));
document.addEventListener("htmx:beforeSwap", keep);
document.addEventListener("htmx:afterSwap", giveBack);
// forms write the text anew
document.addEventListener("htmx:oobBeforeSwap", (event) => {
  const { target, fragment } = event.detail;
  renewing ||= target.id === "text";
  // a text that is there to copy from stays while the page does
  if (target.id === "meanwhile" && target.querySelector("#typed") && !fragment.querySelector("#typed"))
    event.detail.shouldSwap = false;
});
document.addEventListener("htmx:oobAfterSwap", (event) => {
  const { target } = event.detail;
  if (target.id === "meanwhile" && target.querySelector(".faults")) target.scrollIntoView({ block: "nearest" });
  if (target.id !== "text") return;
  renewing = false;
  keptText = editor().elements.text.value;
});
