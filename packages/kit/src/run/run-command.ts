import type { Definition } from '../definition.ts'
import type { Config } from '../values/fill.ts'
import { runCheck, runIdentity, runRequest } from './commands.ts'
import { runConnected } from './connected.ts'
import { createContext, type RunDeps } from './create-context.ts'
import { createSpec } from './create-spec.ts'

/** Runs a command of the bundle protocol. @throws Error that contains its name when there is no such command */
export async function runCommand(
  definition: Definition,
  command: string,
  params: { readonly config?: Config } & Config,
  deps: RunDeps,
): Promise<unknown> {
  if (command === 'SPEC') return createSpec(definition)
  if (!COMMANDS.includes(command)) throw new Error(`There is no command ${command}.`)
  const context = createContext(definition, params.config ?? {}, deps)
  if (command === 'CHECK') return runCheck(definition, context)
  if (command === 'HEADERS') return context.headers()
  if (command === 'CONNECTED') return runConnected(definition, context)
  if (command === 'IDENTITY') return runIdentity(definition, context)
  return runRequest(definition, context, params)
}

const COMMANDS = ['CHECK', 'CONNECTED', 'HEADERS', 'IDENTITY', 'RUN']
