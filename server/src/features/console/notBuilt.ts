// What / shows where the console is not built: how to get it.

export const notBuiltPolicy = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

export const notBuilt = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Runyard</title>
<h1>Runyard is running, and its console is not built.</h1>
<p>In a checkout, <code>npm start</code> builds the console before it starts the service; where it cannot, it says why.
<code>node scripts/buildConsole.mjs</code> builds it for a service that is already running: then reload this page.</p>
<p>The npm package brings the console built: <code>npx runyard</code> starts it on any platform.</p>
<p>Everything can be done without it too: see the <a href="/docs/">reference of the API</a>, and <code>npx runyard help</code>.</p>
</html>
`
