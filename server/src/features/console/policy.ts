// What a browser may do with the console: nothing from elsewhere, nothing inline, in nobody's frame.

/** A browser would offer these to the page; it uses none of them. */
const unusedPowers = [
  'accelerometer',
  'camera',
  'display-capture',
  'geolocation',
  'gyroscope',
  'hid',
  'magnetometer',
  'microphone',
  'midi',
  'payment',
  'serial',
  'usb',
]

/**
 * Signed URLs of pictures and files begin with the URL under which users reach the service. Who opened the console under another name of
 * this machine (localhost instead of 127.0.0.1) sees them too.
 */
export function consoleHeaders(baseUrl: string): Record<string, string> {
  const { origin } = new URL(baseUrl)
  const policy = [
    `default-src 'none'`,
    `script-src 'self'`,
    `style-src 'self'`,
    `img-src 'self' blob: ${origin}`,
    `connect-src 'self'`,
    `font-src 'self'`,
    `frame-src 'self' blob: ${origin}`,
    `form-action 'self'`,
    `base-uri 'none'`,
    `frame-ancestors 'none'`,
  ]
  return {
    'content-security-policy': policy.join('; '),
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'permissions-policy': unusedPowers.map((power) => `${power}=()`).join(', '),
  }
}
