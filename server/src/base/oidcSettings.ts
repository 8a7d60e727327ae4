// The settings of signing in with OpenID Connect, for the table in config.ts, and what must be set together.
import { oneOf, providerUrl, text, type Setting } from './settingKinds.ts'

export const oidcSettings = {
  oidcIssuer: providerUrl(
    'RUNYARD_OIDC_ISSUER',
    'none',
    'The issuer of your OpenID Connect provider, such as `https://login.example.com`: members can then sign in with it. Register `<PUBLIC_URL>/auth/oidc/callback` there. A private host must also be in `RUNYARD_ALLOW_PRIVATE_HOSTS`.',
  ),
  oidcClientId: text('RUNYARD_OIDC_CLIENT_ID', 'none', 'The id of the client that you made at that provider.'),
  oidcClientSecret: text('RUNYARD_OIDC_CLIENT_SECRET', 'none', 'Its secret.', true),
  oidcAllowedDomains: {
    env: 'RUNYARD_OIDC_ALLOWED_DOMAINS',
    says: 'Domains of e-mail addresses, comma-separated, that may sign in with OpenID Connect: `example.com`.',
    unset: 'all that the provider lets in',
    read(value = '') {
      const domains = value
        .toLowerCase()
        .split(/[\s,]+/)
        .filter((one) => one !== '')
      const bad = domains.find((one) => !/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/.test(one))
      if (bad === undefined) return domains
      throw new Error(`has the entry "${bad}": must be a domain such as example.com`)
    },
  } satisfies Setting<string[]>,
  oidcRoleClaim: text(
    'RUNYARD_OIDC_ROLE_CLAIM',
    'none',
    'The claim that holds a member’s role (`admin`, `operator` or `viewer`, alone or in a list); it is taken over at every sign-in.',
  ),
  oidcDefaultRole: oneOf(
    'RUNYARD_OIDC_DEFAULT_ROLE',
    ['none', 'viewer', 'operator', 'admin'],
    'none',
    'The role of members that the first sign-in makes in the oldest team; `none` lets in only people whose e-mail address a member has, or whose role the claim names.',
  ),
  oidcName: {
    env: 'RUNYARD_OIDC_NAME',
    says: 'What the sign-in page calls that provider.',
    unset: '`OpenID Connect`',
    read(value = 'OpenID Connect') {
      if (value.length <= 60) return value
      throw new Error('must have at most 60 characters')
    },
  } satisfies Setting<string>,
}

/** An issuer without a client, or a client without an issuer, would only fail when somebody signs in. */
export function oidcProblems({
  oidcIssuer,
  oidcClientId,
}: {
  oidcIssuer?: string | undefined
  oidcClientId?: string | undefined
}): string[] {
  if ((oidcIssuer === undefined) === (oidcClientId === undefined)) return []
  return [
    oidcIssuer === undefined
      ? 'RUNYARD_OIDC_CLIENT_ID needs RUNYARD_OIDC_ISSUER as well'
      : 'RUNYARD_OIDC_ISSUER needs RUNYARD_OIDC_CLIENT_ID as well',
  ]
}
