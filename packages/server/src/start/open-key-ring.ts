import { createEgressGateway } from '@linchpin/runner'
import { isKeyRing, type KeyRing } from '../vault/key-ring.ts'
import { openKeyEntries } from '../vault/open-key-entries.ts'
import type { TransitDeps } from '../vault/transit/decrypt-with-transit.ts'
import { toEgressOptions } from './egress-options.ts'
import type { Config } from './environment.ts'

/**
 * The keys of LINCHPIN_KEYS, decrypted by the transit key where they are encrypted; undefined without that setting.
 *
 * @throws VaultError, TransitUnavailableError
 */
export async function openKeyRing(
  config: Config,
  options: Pick<TransitDeps, 'retryDelaysMs'> = {},
): Promise<KeyRing | undefined> {
  const { keys, transitKey, transitToken, transitNamespace } = config
  if (keys === undefined || isKeyRing(keys)) return keys
  // For these requests only: the service has no port yet, and a command never has one.
  const egressGateway = createEgressGateway(toEgressOptions(config))
  try {
    const key = transitKey && { ...transitKey, token: transitToken, namespace: transitNamespace }
    return await openKeyEntries(keys, key, { egressGateway, ...options })
  } finally {
    await egressGateway.close()
  }
}
