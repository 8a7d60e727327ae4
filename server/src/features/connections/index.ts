// Connections to outside services: OAuth, MCP servers, keys; what runs may do with them, and what keeps them good.
import { feature } from '../../kit/feature.ts'
import { approveConnectionTools } from './approveConnectionTools.ts'
import { authorizeMcpOAuth } from './authorizeMcpOAuth.ts'
import { mountCallback } from './callback.ts'
import { checkMcpOAuth } from './checkMcpOAuth.ts'
import { mountClientMetadata } from './clientMetadata.ts'
import { connectionResource } from './connection.ts'
import { createConnection } from './createConnection.ts'
import { deleteConnection } from './deleteConnection.ts'
import { finalizeThirdPartyOAuth } from './finalizeThirdPartyOAuth.ts'
import { sealedFlowSecret } from './flow.ts'
import { getConnection } from './getConnection.ts'
import { getConnectionCredentials } from './getConnectionCredentials.ts'
import { giveBackGrant, sealedRevocation } from './giveBackGrant.job.ts'
import { listConnectionDependents } from './listConnectionDependents.ts'
import { listConnections } from './listConnections.ts'
import { listConnectionTools } from './listConnectionTools.ts'
import { idleSettings } from './nativeClient.ts'
import { probeMcpServer } from './probeMcpServer.ts'
import { providerSets } from './providerSets.ts'
import { refreshConnections } from './refreshConnections.ts'
import { sealedRegistration } from './registration.ts'
import { sealedConnectionSecret } from './secret.ts'
import { startNativeOAuth } from './startNativeOAuth.ts'
import { sweepFlows } from './sweepFlows.job.ts'
import { testConnection } from './testConnection.ts'
import { updateConnection } from './updateConnection.ts'
import { connectionUse } from './use.ts'
import { wakeWaitingRuns } from './waits.ts'

export const connections = feature({
  name: 'connections',
  about: 'Accounts at other services and MCP servers, which agents use without seeing their credentials.',
  operations: [
    listConnections,
    createConnection,
    getConnection,
    getConnectionCredentials,
    updateConnection,
    deleteConnection,
    testConnection,
    listConnectionDependents,
    listConnectionTools,
    approveConnectionTools,
    startNativeOAuth,
    checkMcpOAuth,
    authorizeMcpOAuth,
    probeMcpServer,
    finalizeThirdPartyOAuth,
  ],
  resources: [connectionResource],
  toolSetsBy: providerSets,
  jobs: [giveBackGrant, sweepFlows],
  connectionUse,
  tick: wakeWaitingRuns,
  work: (context) => refreshConnections(context),
  sealed: [sealedConnectionSecret, sealedFlowSecret, sealedRegistration, sealedRevocation],
  routes(app, context) {
    for (const problem of idleSettings(context.config)) context.log.warn(problem)
    mountCallback(app, context)
    mountClientMetadata(app, context)
  },
})
