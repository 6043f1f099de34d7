import type { AuthMethods, Definition } from './definition.ts'
import { runCommand } from './run/run-command.ts'
import type { Fields } from './spec/field.ts'
import type { Config } from './values/fill.ts'

/** An integration: the main function of a bundle, with its definition. */
export interface Integration {
  (command: string, params?: { readonly config?: Config } & Config): Promise<unknown>
  readonly definition: Definition
}

/**
 * Creates an integration. Make it the default export of its file: a bundle is built from that.
 *
 * It implements SPEC, CHECK, CONNECTED, HEADERS, IDENTITY and RUN of the bundle protocol and rejects any other command by name.
 */
export function defineIntegration<
  const A extends AuthMethods,
  I extends Fields = Record<never, never>,
>(given: Definition<A, I>): Integration {
  // Inside, every configuration is unknown data: only the author's own functions see its type.
  const definition = given as unknown as Definition
  const main = async (command: string, params: { readonly config?: Config } & Config = {}) => {
    return runCommand(definition, command, params, {
      fetch: globalThis.fetch,
      now: Date.now,
      wait: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
    })
  }
  return Object.assign(main, { definition })
}
