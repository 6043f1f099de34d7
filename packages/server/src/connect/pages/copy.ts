import type { ErrorCode } from '../../errors.ts'

/** Who asks for what. */
export interface ConsentNames {
  readonly workspace: string
  readonly tool: string
  readonly host: string
}

/** Every word on the pages of signing in. Plain text: pages escape it. */
export const COPY = {
  consent: {
    title: ({ workspace, tool }: ConsentNames) => `${workspace} wants to connect to your ${tool}`,
    again: ({ workspace, tool }: ConsentNames) =>
      `${workspace} wants to connect to your ${tool} again`,
    body: ({ workspace, host }: ConsentNames) =>
      `You sign in at ${host}, and see there what you share. ${workspace} never sees your password.`,
    custom: ({ workspace, tool, host }: ConsentNames) =>
      `${workspace} added ${tool} itself and nobody else has checked it. Go on only if you know ${host}.`,
    button: ({ tool }: ConsentNames) => `Connect ${tool}`,
    leave: ({ workspace }: ConsentNames) =>
      `You can disconnect at any time. If you did not ask for this, close this page: ${workspace} gets nothing.`,
  },
  done: {
    title: (tool: string) => `${tool} is connected`,
    body: (workspace: string) => `You can close this page and go back to ${workspace}.`,
  },
  notKnown: {
    title: 'This page is not good any more',
    body: 'It was used already, or 10 minutes have passed. Go back to where you came from and start again.',
  },
  finished: {
    title: 'This is already finished',
    body: 'You can close this page. Where you came from, you see whether it is connected.',
  },
  otherBrowser: {
    title: 'This was started in another browser',
    body: 'For your safety it was stopped and nothing was connected. Start again, and stay in one browser. Cookies must be allowed.',
  },
  notOurs: {
    title: 'This came from another page',
    body: 'For your safety nothing was done. Open the link that you were given, and use its button.',
  },
  busy: {
    title: 'We cannot go on right now',
    body: 'This is on our side, and nothing was connected. Wait a minute, then start again.',
  },
  failed: {
    title: (tool: string) => `${tool} was not connected`,
  },
} as const

/** What a person reads when signing in did not end in a connection: what happened, and whose move it is. */
export function failureSentence(code: ErrorCode, tool: string, workspace: string): string {
  return (
    SENTENCES[code]?.(tool, workspace) ??
    `${tool} did not take part as it should. Start again; if it stays like this, tell ${workspace}.`
  )
}

const SENTENCES: Partial<Record<ErrorCode, (tool: string, workspace: string) => string>> = {
  access_denied: (tool) =>
    `You, or the owner of your ${tool}, said no. Nothing is shared. If that was a mistake, start again.`,
  link_expired: (_tool, workspace) => `The link has expired. Ask ${workspace} for a new one.`,
  link_revoked: (_tool, workspace) => `${workspace} has closed the link. Ask for a new one.`,
  oauth_start_revoked: (tool, workspace) =>
    `${workspace} has taken back what it asked for, and ${tool} was not connected. Ask there if you still want it.`,
  oauth_attempt_invalid: (_tool, workspace) =>
    `${workspace} has changed something meanwhile. Go back and start again.`,
  identity_mismatch: (tool) =>
    `You signed in to ${tool} as somebody else than before. Sign out there, then start again with the same person.`,
  oauth_issuer_mismatch: (tool) =>
    `The answer did not come from where you signed in to ${tool}. For your safety it was stopped. Start again.`,
  authorization_request_failed: (tool, workspace) =>
    `${tool} did not take the request to sign you in. Nothing is shared. Tell ${workspace}: only they can set it right.`,
  credentials_rejected: (tool, workspace) =>
    `${tool} let you in, but did not accept the access it gave. Start again; if it stays like this, tell ${workspace}.`,
  provider_error: (tool) =>
    `${tool} cannot answer right now. Wait a few minutes, then start again.`,
  provider_timeout: (tool) =>
    `${tool} took too long to answer. Wait a few minutes, then start again.`,
}
