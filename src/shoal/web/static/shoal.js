// What the page does beyond plain links and forms: progress, uploads, questions before something is lost.
"use strict";

function text(element, value) {
  if (element) element.textContent = value;
}

function show(section, job) {
  const last = job.steps[job.steps.length - 1];
  text(section.querySelector("[data-state]"), job.state);
  text(section.querySelector("[data-told]"), last ? last.told : "");
  text(section.querySelector("[data-seconds]"), `${job.seconds.toFixed(1)} s`);
  const bar = section.querySelector("[data-share]");
  if (bar && job.share !== null) {
    bar.max = 1;
    bar.value = job.share;
  } else if (bar) {
    bar.removeAttribute("value");
  }
  const steps = section.querySelector("[data-steps]");
  while (steps && steps.children.length < job.steps.length) {
    const step = job.steps[steps.children.length];
    const line = document.createElement("li");
    const at = document.createElement("span");
    at.className = "quiet";
    at.textContent = `${step.at.toFixed(1)} s`;
    line.append(at, ` ${step.told}`);
    steps.append(line);
  }
}

function watch(section) {
  const events = new EventSource(`${section.dataset.job}/events`);
  const begun = Date.now() - 1000 * parseFloat(section.querySelector("[data-seconds]").textContent);
  const clock = setInterval(
    () => text(section.querySelector("[data-seconds]"), `${((Date.now() - begun) / 1000).toFixed(1)} s`),
    500,
  );
  events.addEventListener("progress", (event) => show(section, JSON.parse(event.data)));
  events.addEventListener("ended", () => {
    events.close();
    clearInterval(clock);
    location.reload();
  });
}

function send(form, file) {
  const message = form.querySelector("[data-message]");
  const bar = form.querySelector("progress");
  if (file.size > Number(form.dataset.most)) {
    text(message, "This file is larger than may be sent. Choose it on this machine instead.");
    return;
  }
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
    else text(message, (answer.faults || []).map((fault) => `${fault.what}. ${fault.hint}`).join(" "));
  });
  request.addEventListener("error", () => text(message, "The file could not be sent."));
  text(message, "Sending");
  request.send(file);
}

function prepareUpload(form) {
  const input = form.querySelector("input[type=file]");
  input.addEventListener("change", () => input.files.length && send(form, input.files[0]));
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("dragover", (event) => {
    event.preventDefault();
    form.classList.add("over");
  });
  form.addEventListener("dragleave", () => form.classList.remove("over"));
  form.addEventListener("drop", (event) => {
    event.preventDefault();
    form.classList.remove("over");
    if (event.dataTransfer.files.length) send(form, event.dataTransfer.files[0]);
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

document.addEventListener("submit", (event) => {
  const question = event.target.dataset.confirm;
  if (question && !window.confirm(question)) event.preventDefault();
});
document.addEventListener("DOMContentLoaded", () => prepare(document));
document.addEventListener("htmx:afterSwap", (event) => event.target !== document.body && prepare(event.detail.target));
