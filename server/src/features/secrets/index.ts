// What runs use and nobody reads: secrets and logins, sealed at rest.
import { feature } from '../../kit/feature.ts'
import { createSecret } from './createSecret.ts'
import { deleteSecret } from './deleteSecret.ts'
import { getSecret } from './getSecret.ts'
import { listSecretDependents } from './listSecretDependents.ts'
import { listSecrets } from './listSecrets.ts'
import { createLogin } from './logins/createLogin.ts'
import { deleteLogin } from './logins/deleteLogin.ts'
import { getLogin } from './logins/getLogin.ts'
import { listLoginDependents } from './logins/listLoginDependents.ts'
import { listLogins } from './logins/listLogins.ts'
import { loginResource, sealedLogin } from './logins/login.ts'
import { hiddenLogins, loginsInBuilds, loginUse } from './logins/loginUse.ts'
import { updateLogin } from './logins/updateLogin.ts'
import { offeredLogins, offeredSecrets } from './offeredSecrets.ts'
import { secretResource } from './secret.ts'
import { hiddenSecrets, secretsInBuilds, secretUse } from './secretUse.ts'
import { updateSecret } from './updateSecret.ts'
import { sealedSecret } from './variables.ts'

export const secrets = feature({
  name: 'secrets',
  about: 'Variables and logins that runs use and nobody reads.',
  operations: [
    listSecrets,
    createSecret,
    getSecret,
    updateSecret,
    deleteSecret,
    listSecretDependents,
    listLogins,
    createLogin,
    getLogin,
    updateLogin,
    deleteLogin,
    listLoginDependents,
  ],
  resources: [secretResource, loginResource],
  namedInBuilds: [secretsInBuilds, loginsInBuilds],
  offers: [offeredSecrets, offeredLogins],
  hiddenValues: async (asked) => [...(await hiddenSecrets(asked)), ...(await hiddenLogins(asked))],
  secretUse,
  loginUse,
  sealed: [sealedSecret, sealedLogin],
})
