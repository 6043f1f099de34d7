import type { KeyObject } from 'node:crypto'
import type { LocalHosts } from '@linchpin/runner'
import { SANDBOX_HOST } from './sandbox-api.ts'
import { createSandboxHost } from './sandbox-host.ts'
import { createSandboxTokens, type SandboxTokens } from './sandbox-tokens.ts'

/** A provider without a network: for demos, tests and the quickstart. */
export interface AcmeSandbox {
  readonly tokens: SandboxTokens
  /** What the egress gateway answers itself. */
  readonly localHosts: LocalHosts
}

/** Creates the provider. Nodes with the same key accept each other's codes and tokens. */
export function createAcmeSandbox(key: KeyObject, now: () => number): AcmeSandbox {
  const tokens = createSandboxTokens(key, now)
  return { tokens, localHosts: new Map([[SANDBOX_HOST, createSandboxHost(tokens)]]) }
}
