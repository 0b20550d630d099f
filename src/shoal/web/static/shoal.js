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
document.addEventListener("DOMContentLoaded", () => prepare(document));
document.addEventListener("htmx:afterSwap", (event) => event.target !== document.body && prepare(event.detail.target));
document.addEventListener("htmx:beforeSwap", keep);
document.addEventListener("htmx:afterSwap", giveBack);
