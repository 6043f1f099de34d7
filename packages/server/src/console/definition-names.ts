import type { Linchpin } from '@linchpin/sdk'
import { createTimedCache } from '../platform/once.ts'
import type { DefinitionNames } from './screen.ts'

/** The names of integrations, which most pages show: a workspace has hundreds, and most pages show a few. */
export interface DefinitionNamesCache {
  /** `api` reads what is not known, as someone of this workspace. */
  read(workspaceId: string, api: Linchpin): Promise<DefinitionNames>
  /** Called after a form, which may have changed integrations, and after an event that says so. */
  forget(): void
}

/** Keeps what it has read for five seconds. */
export function createDefinitionNames(now: () => number): DefinitionNamesCache {
  const cache = createTimedCache<DefinitionNames>({
    maxAgeMs: 5_000,
    maxEntries: 100,
    now,
  })
  let forms = 0
  return {
    read: (workspaceId, api) => cache(`${workspaceId} ${forms}`, () => readDefinitionNames(api)),
    forget() {
      forms += 1
    },
  }
}

/** The integrations that a workspace can use, as they are now. */
export async function readDefinitionNames(api: Linchpin): Promise<DefinitionNames> {
  const definitions = await api.definitions.list().first(Number.POSITIVE_INFINITY)
  return new Map(
    definitions.map(({ integrationDefinitionId: id, name, icon, key }) => [
      id,
      { name, icon, key },
    ]),
  )
}
