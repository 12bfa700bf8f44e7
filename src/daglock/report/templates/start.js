// Every part starts by itself, so that one that fails does not take the others with it.

for (const begin of [startGraph, startView, startControls, startDownload, startTrust, startTable, startHeat, startCharts, startBootstrap]) {
  try {
    begin();
  } catch (error) {
    console.error(error);
  }
}
document.documentElement.classList.add("ready");
