// How Chromium is started: it does nothing by itself, and reaches the network only through the proxy of a session.

/** What Chromium keeps ready for a person at its window, at the cost of every page that it shows. */
export const featuresForPeople = [
  // a process for the next page
  'SpareRendererForSitePerProcess',
  // two pages below the address bar of each window (measured in Chromium 156: a picture takes 0.4 s of processor time instead of 1 s)
  'WebUIOmniboxAimPopup',
  'WebUIOmniboxPopup',
]

const disabledFeatures = [
  // what calls home, or looks around in the local network
  'AutofillServerCommunication',
  'CertificateTransparencyComponentUpdater',
  'DialMediaRouteProvider',
  'InterestFeedContentSuggestions',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PreconnectToSearch',
  'Translate',
  // what would open another URL than the one that was asked for
  'HttpsUpgrades',
  'HttpsFirstBalancedModeAutoEnable',
  // what playwright expects to be off
  'AvoidCorsURLLoaderRestartOnRedirect',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'PaintHolding',
  ...featuresForPeople,
]

export function chromiumArguments(options: { profile: string; isSandboxed: boolean }): string[] {
  return [
    '--headless',
    '--remote-debugging-pipe',
    `--user-data-dir=${options.profile}`,
    ...(options.isSandboxed ? [] : ['--no-sandbox']),
    // Each session has a proxy of its own. Requests of no session fail: nothing listens on port 9, and no name is resolved. The proxies
    // resolve names themselves. Chromium would bypass any proxy for loopback; this bypass list prevents that.
    '--proxy-server=http://127.0.0.1:9',
    '--proxy-bypass-list=<-loopback>',
    '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
    // UDP bypasses HTTP proxies
    '--disable-quic',
    '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
    '--webrtc-ip-handling-policy=disable_non_proxied_udp',
    '--dns-prefetch-disable',
    '--no-pings',
    '--disable-background-networking',
    '--disable-breakpad',
    '--disable-component-update',
    '--disable-default-apps',
    '--disable-domain-reliability',
    '--disable-extensions',
    '--disable-field-trial-config',
    '--disable-sync',
    '--metrics-recording-only',
    '--no-default-browser-check',
    '--no-first-run',
    '--no-service-autorun',
    '--password-store=basic',
    '--use-mock-keychain',
    '--disable-back-forward-cache',
    '--disable-background-timer-throttling',
    '--disable-dev-shm-usage',
    '--disable-hang-monitor',
    // an installed Chromium would block them silently; ours become pages, or are refused and reported
    '--disable-popup-blocking',
    '--disable-prompt-on-repost',
    '--disable-renderer-backgrounding',
    '--force-color-profile=srgb',
    '--hide-scrollbars',
    '--mute-audio',
    `--disable-features=${disabledFeatures.join(',')}`,
    '--enable-features=CDPScreenshotNewSurface',
    // each session opens its own pages: a first window would cost half of what a start takes
    '--no-startup-window',
  ]
}
