import type { Linchpin } from '@linchpin/sdk'
import type { CommandContext, ParsedCommand } from './command.ts'
import { printResult } from './output/print-result.ts'
import { UsageError } from './usage-error.ts'

/** `connect`: lets the person at this terminal, or a customer who gets the address, connect an account. */
export const CONNECT: ParsedCommand = {
  name: 'connect',
  summary: 'Connect an account on a page, and print it',
  description:
    'Creates a connect session, opens its page in a browser, and waits until the account is connected. Ctrl-C revokes the session.',
  positionals: ['definition?'],
  flags: [
    {
      name: 'account-identifier',
      value: 'TEXT',
      description: 'your ID of the customer; default: cli',
    },
    {
      name: 'integration-account-id',
      value: 'TEXT',
      description: 'reconnects this account instead; without a definition',
    },
    {
      name: 'workspace-id',
      value: 'TEXT',
      description: 'the workspace; default: that of the token',
    },
    { name: 'expires-in', value: 'NUMBER', description: 'seconds for which the page works' },
    { name: 'no-open', description: 'prints the address, and opens no browser' },
  ],
  async run(input, context) {
    const [definition] = input.positionals
    const accountId = input.get('integration-account-id')
    if ((definition === undefined) === (accountId === undefined))
      throw new UsageError('Name a definition, or an account with --integration-account-id.')
    const { io, connect } = context
    const linchpin = await connect()
    const target =
      accountId === undefined
        ? {
            accountIdentifier: input.get('account-identifier') ?? 'cli',
            integrationDefinitionIds: [definition ?? ''],
          }
        : { integrationAccountId: accountId }
    const expiresIn = input.get('expires-in')
    const session = await linchpin.connectSessions.create({
      ...target,
      workspaceId: input.get('workspace-id'),
      ...(expiresIn === undefined ? {} : { expiresIn: Number(expiresIn) }),
    })
    io.stderr.write(`Open this address:\n\n  ${session.url}\n\nWaiting for the connection …\n`)
    if (!input.has('no-open')) io.openUrl(session.url)
    return waitForAccount(linchpin, session.connectSessionId, context)
  },
}

/** Waits until the session ends, and prints what was connected. Resolves to the exit code. */
async function waitForAccount(
  linchpin: Linchpin,
  sessionId: string,
  context: CommandContext,
): Promise<number> {
  const { io } = context
  try {
    for await (const { type } of linchpin.events.tail(
      { subject: sessionId },
      { signal: io.signal },
    )) {
      if (type === 'connect_session.completed') break
      if (type === 'connect_session.expired' || type === 'connect_session.revoked') break
      if (type === 'connect_session.opened') io.stderr.write('The page is open.\n')
    }
  } catch (error) {
    if (!io.signal.aborted) throw error
    await linchpin.connectSessions.delete(sessionId)
    io.stderr.write('The session is revoked: its page no longer works.\n')
    throw error
  }
  const { status, integrationAccountIds, lastError } = await linchpin.connectSessions.get(sessionId)
  for (const id of integrationAccountIds)
    await printResult(await linchpin.accounts.get(id), context)
  if (integrationAccountIds.length > 0) return 0
  const reason = lastError === null ? '' : ` The last attempt failed: ${lastError.code}.`
  io.stderr.write(`Nothing was connected: the session is ${status}.${reason}\n`)
  return 1
}
