import { isLinchpinError, type Linchpin } from '@linchpin/sdk'
import type { CommandContext, CommandInput, Flag, ParsedCommand } from '../command.ts'
import { LIST_COLUMNS } from '../output/list-columns.ts'
import { printList, printResult } from '../output/print-result.ts'
import { printStream } from '../output/print-stream.ts'
import { ONE_TIME_FIELDS, printWithSecrets, requireSecretTarget } from '../output/secret-result.ts'
import { DATA_FLAG, SECRET_FLAGS } from '../own-flags.ts'
import type { Operation, OperationField } from './operation.ts'
import { nameCommand } from './operation-names.ts'
import { OPERATIONS } from './operation-table.ts'
import { readFields } from './read-fields.ts'

/** A command for each operation of the API. */
export function createOperationCommands(): ParsedCommand[] {
  return OPERATIONS.map((operation) => ({
    name: nameCommand(operation),
    summary: operation.summary,
    positionals: operation.ids,
    flags: [
      ...operation.fields.map(toFlag),
      ...(operation.input === 'body' && operation.fields.length > 0 ? [DATA_FLAG] : []),
      ...(operation.operationId in ONE_TIME_FIELDS ? SECRET_FLAGS : []),
    ],
    run: (input, context) => runOperation(operation, input, context),
  }))
}

function toFlag({ option, kind, description, isRequired, isSecret, values }: OperationField): Flag {
  const known = values === undefined ? '' : ` One of ${values.join(', ')}.`
  const flag = {
    name: option,
    description: `${description}${known}${isRequired ? ' Required.' : ''}`,
    isMultiple: kind === 'list' || kind === 'record',
  }
  if (isSecret) return { ...flag, value: '@FILE|-', isMultiple: false }
  return { ...flag, value: VALUE_NAMES[kind] }
}

const VALUE_NAMES = {
  string: 'TEXT',
  integer: 'NUMBER',
  boolean: 'true|false',
  list: 'TEXT',
  record: 'KEY=VALUE',
  json: 'JSON|@FILE',
} as const satisfies Record<OperationField['kind'], string>

async function runOperation(
  operation: Operation,
  input: CommandInput,
  context: CommandContext,
): Promise<number> {
  const oneTimeFields = ONE_TIME_FIELDS[operation.operationId]
  if (oneTimeFields !== undefined) requireSecretTarget(input)
  const argument = operation.input === 'none' ? {} : await readFields(operation, input, context.io)
  const linchpin = await context.connect()
  const result = callMethod(linchpin, operation, [
    ...input.positionals,
    ...(operation.input === 'none' ? [] : [argument]),
    { signal: context.io.signal },
  ])
  if (isList(result)) {
    const loadTools = () => readTools(linchpin, input.get('workspace-id'), context.io.signal)
    const columns = LIST_COLUMNS[operation.method]
    await printList(result, { limit: readLimit(input), columns, loadTools }, context)
  } else {
    const value = await result
    if (value instanceof Response) await printStream(value, context)
    else if (oneTimeFields !== undefined) await printWithSecrets(value, input, context)
    else await printResult(value, context)
  }
  return 0
}

/** The keys of definitions by their IDs: the API names the tools of accounts, links and sessions by ID only. */
async function readTools(
  linchpin: Linchpin,
  workspaceId: string | undefined,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  const tools = new Map<string, string>()
  try {
    for await (const one of linchpin.definitions.list({ workspaceId }, { signal }))
      tools.set(one.integrationDefinitionId, one.key)
  } catch (error) {
    // The table then has the IDs.
    if (!isLinchpinError(error)) throw error
  }
  return tools
}

function callMethod(
  linchpin: Linchpin,
  { method }: Operation,
  args: readonly unknown[],
): Promise<unknown> | AsyncIterable<unknown> {
  const [group = '', name = ''] = method.split('.')
  const target = Reflect.get(linchpin, group)
  return Reflect.get(target, name).apply(target, args)
}

function isList(
  result: Promise<unknown> | AsyncIterable<unknown>,
): result is AsyncIterable<unknown> {
  return Symbol.asyncIterator in result
}

function readLimit(input: CommandInput): number | undefined {
  const limit = input.get('limit')
  return limit === undefined ? undefined : Number(limit)
}
