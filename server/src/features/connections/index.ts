// Connections to outside services: OAuth, MCP servers, keys; what runs may do with them, and what keeps them working.
import { feature } from '../../kit/feature.ts'
import { approveConnectionTools } from './mcpTools/approveConnectionTools.ts'
import { authorizeMcpOAuth } from './oauth/authorizeMcpOAuth.ts'
import { mountCallback } from './oauth/callback.ts'
import { checkMcpOAuth } from './oauth/checkMcpOAuth.ts'
import { mountClientMetadata } from './oauth/clientMetadata.ts'
import { connectionResource } from './store/connection.ts'
import { createConnection } from './createConnection.ts'
import { deleteConnection } from './deleteConnection.ts'
import { finalizeThirdPartyOAuth } from './oauth/finalizeThirdPartyOAuth.ts'
import { sealedFlowSecret } from './oauth/oauthFlow.ts'
import { getConnection } from './getConnection.ts'
import { getConnectionCredentials } from './getConnectionCredentials.ts'
import { giveBackGrant, sealedRevocation } from './credential/giveBackGrant.job.ts'
import { listConnectionDependents } from './listConnectionDependents.ts'
import { listConnectionProviders } from './providers/listConnectionProviders.ts'
import { listConnections } from './listConnections.ts'
import { listConnectionTools } from './mcpTools/listConnectionTools.ts'
import { idleSettings } from './providers/nativeClient.ts'
import { offeredConnections } from './store/offeredConnections.ts'
import { probeMcpServer } from './mcpTools/probeMcpServer.ts'
import { providerSets } from './providers/providerSets.ts'
import { refreshConnections } from './inRuns/refreshConnections.ts'
import { sealedRegistration } from './oauth/registration.ts'
import { sealedConnectionSecret } from './store/secret.ts'
import { startNativeOAuth } from './oauth/startNativeOAuth.ts'
import { sweepFlows } from './oauth/sweepFlows.job.ts'
import { testConnection } from './testConnection.ts'
import { updateConnection } from './updateConnection.ts'
import { connectionUse } from './inRuns/connectionUse.ts'
import { wakeWaitingRuns } from './credential/connectionWaits.ts'

export const connections = feature({
  name: 'connections',
  about: 'Accounts at other services and MCP servers, which agents use without seeing their credentials.',
  operations: [
    listConnections,
    createConnection,
    listConnectionProviders,
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
  offers: [offeredConnections],
  tick: wakeWaitingRuns,
  work: (context) => refreshConnections(context),
  sealed: [sealedConnectionSecret, sealedFlowSecret, sealedRegistration, sealedRevocation],
  routes(app, context) {
    for (const problem of idleSettings(context.config)) context.log.warn(problem)
    mountCallback(app, context)
    mountClientMetadata(app, context)
  },
})
