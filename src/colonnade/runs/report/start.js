// The page's beginning: unpack the library and the data, then draw. Without it, the page is what is written.
"use strict";

async function unpacked(id) {
  const bytes = Uint8Array.from(atob(document.getElementById(id).textContent.trim()), (c) => c.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
}

async function start() {
  const script = document.createElement("script");
  script.textContent = await unpacked("library"); // the page's policy knows its digest
  document.head.append(script);
  const data = JSON.parse(await unpacked("data"));
  const curves = drawCurves(data);
  drawSensitivity(data);
  drawTable(data, curves);
  whenThemeChanges(() => Object.values(Chart.instances).forEach((chart) => chart.update("none")));
  document.documentElement.dataset.ready = "yes";
}

start().catch((failure) => {
  document.getElementById("trouble").hidden = false;
  console.error(failure);
});
