import { createEgressGateway } from '@linchpin/runner'
import { isKeyRing, type KeyEntries, type KeyRing } from '../../platform/vault/key-ring.ts'
import { openKeyEntries } from '../../platform/vault/open-key-entries.ts'
import { runKeyCommand } from '../../platform/vault/run-key-command.ts'
import type { TransitDeps } from '../../platform/vault/transit/decrypt-with-transit.ts'
import { toEgressOptions } from './egress-options.ts'
import type { Config } from './environment.ts'

/**
 * The keys of LINCHPIN_KEYS or of its command, decrypted by the transit key where they are encrypted; undefined without that setting.
 *
 * @throws VaultError, TransitUnavailableError
 */
export async function openKeyRing(
  config: Config,
  options: Pick<TransitDeps, 'retryDelaysMs'> = {},
): Promise<KeyRing | undefined> {
  const { transitKey, transitToken, transitNamespace } = config
  const keys = await findKeyEntries(config, options)
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

async function findKeyEntries(
  { keys }: Config,
  options: Pick<TransitDeps, 'retryDelaysMs'>,
): Promise<KeyEntries | undefined> {
  return keys !== undefined && 'path' in keys ? await runKeyCommand(keys, options) : keys
}
