import {
  discoverServer,
  isMcpServerInvalid,
} from '../../../integrations/oauth/discovery/discover-server.ts'
import { fillUrlTemplate, TemplateError } from '../../../integrations/oauth/template.ts'
import { withServer } from '../../../integrations/oauth-apps/find-client.ts'
import { ApiError } from '../../../platform/errors.ts'
import { getRunnerTenant } from '../credentials/account-config.ts'
import type { AcquiredLease } from './acquire-lease.ts'
import { type Grant, loadGrant } from './grant.ts'
import type { RefreshDeps } from './refresh-deps.ts'

/** The `statusReason` of an account whose server names another authorization server than that of its tokens. */
export const SERVER_CHANGED = 'authorization_server_changed'

/** The grant with the endpoints as they are now; or that they are those of another issuer. */
export type Rediscovery = Grant | typeof SERVER_CHANGED

const INTERVAL_MS = 24 * 60 * 60_000
/** Less than a discovery may take elsewhere: the lease has to last for the token request, too. */
const TIMEOUT_MS = 5_000

/** Reads the metadata of the server of a grant again, once a day. Before a token is sent, so that endpoints may move. */
export async function rediscoverDaily(
  deps: RefreshDeps,
  lease: AcquiredLease,
  grant: Grant,
): Promise<Rediscovery> {
  const { discoveredAt } = lease.row
  const isDue = discoveredAt === null || Math.abs(lease.now() - discoveredAt) >= INTERVAL_MS
  return isDue ? await rediscover(deps, lease, grant) : grant
}

/**
 * Reads the metadata of the server of a grant again. A server that cannot be reached, or says what is not usable, changes nothing:
 * what it said before still holds. Does nothing for a spec that has the endpoints.
 */
export async function rediscover(
  deps: RefreshDeps,
  lease: AcquiredLease,
  grant: Grant,
): Promise<Rediscovery> {
  const { type, app, config } = grant
  const { accountId, row } = lease
  const { resource } = row
  if (type?.discoveredFrom === undefined || app === undefined || resource === null) return grant
  if (lease.remainingMs() < 2 * TIMEOUT_MS) return grant
  try {
    const url = fillUrlTemplate(type.discoveredFrom, config, type.templateFields)
    const signal = AbortSignal.timeout(TIMEOUT_MS)
    const options = { tenant: getRunnerTenant(row), hosts: type.hosts, signal }
    const { server, resource: found } = await discoverServer(deps, url, options)
    await lease.update({ discoveredAt: lease.now() })
    if (server.issuer !== app.issuer) return SERVER_CHANGED
    // Another resource would be another grant: the tokens stay with theirs.
    if (found !== resource) return grant
    const current = await withServer(deps, app, server)
    return current === app ? grant : await loadGrant(deps, row)
  } catch (error) {
    if (!isUnusable(error)) throw error
    deps.log.info({ err: error, accountId }, 'the metadata of a server could not be read again')
    await lease.update({ discoveredAt: lease.now() })
    return grant
  }
}

function isUnusable(error: unknown): boolean {
  const isUnavailable = error instanceof ApiError && error.code === 'egress_unavailable'
  return isUnavailable || isMcpServerInvalid(error) || error instanceof TemplateError
}
