import { say } from '../../phrase.ts'
import type { Words } from '../words.ts'

/** English: what happened, and whose move it is. */
export const enFailures: Words['failures'] = {
  access_denied: ({ tool }) =>
    say`You, or the owner of your ${tool}, said no. Nothing is shared. If that was a mistake, start again.`,
  authorization_request_failed: ({ tool, workspace }) =>
    say`${tool} did not take the request to sign you in. Nothing is shared. Tell ${workspace}: only they can set it right.`,
  cancelled: ({ tool }) =>
    say`You took it back before ${tool} answered. Nothing is connected. Start again when you like.`,
  credentials_rejected: ({ tool, workspace }) =>
    say`${tool} did not accept what you entered. Check it, or enter something new; if it stays like this, tell ${workspace}.`,
  identity_mismatch: ({ tool }) =>
    say`You signed in to ${tool} as somebody else than before. Sign out there, then start again with the same person.`,
  insufficient_scope: ({ tool }) =>
    say`${tool} knows this key, but it allows too little. Give it more rights in ${tool}, or use another one.`,
  integration_failed: ({ tool, workspace }) =>
    say`The part that speaks with ${tool} failed. This is not your fault; tell ${workspace} about it.`,
  integration_timeout: ({ tool, workspace }) =>
    say`The part that speaks with ${tool} took too long. Try again; if it stays like this, tell ${workspace}.`,
  invalid_credentials: ({ tool }) =>
    say`${tool} did not accept this key. Copy it again, all of it, or make a new one in ${tool}.`,
  link_expired: ({ workspace }) => say`The link has expired. Ask ${workspace} for a new one.`,
  link_full: ({ workspace }) =>
    say`Everything that this link allows is connected. Ask ${workspace} for a new one.`,
  link_identifier_full: ({ workspace }) =>
    say`You have connected all that this link allows. Ask ${workspace} for a new one.`,
  link_revoked: ({ workspace }) => say`${workspace} has closed the link. Ask for a new one.`,
  oauth_app_missing: ({ tool, workspace }) =>
    say`Signing in to ${tool} is not set up yet. This is for ${workspace} to do; tell them about it.`,
  oauth_attempt_invalid: ({ workspace }) =>
    say`${workspace} has changed something meanwhile. Go back and start again.`,
  oauth_issuer_mismatch: ({ tool }) =>
    say`The answer did not come from where you signed in to ${tool}. For your safety it was stopped. Start again.`,
  other_browser: ({ tool }) =>
    say`You signed in to ${tool} in another browser. For your safety it was stopped. Start again, and stay in one browser.`,
  oauth_start_revoked: ({ tool, workspace }) =>
    say`${workspace} has taken back what it asked for, and ${tool} was not connected. Ask there if you still want it.`,
  provider_error: ({ tool }) =>
    say`${tool} cannot answer right now. Wait a few minutes, then start again.`,
  provider_timeout: ({ tool }) =>
    say`${tool} took too long to answer. Wait a few minutes, then start again.`,
  rate_limited: ({ tool }) => say`${tool} asks us to slow down. Wait a minute, then try again.`,
  sign_in_overdue: ({ tool }) =>
    say`Nobody finished signing in to ${tool} within 10 minutes. Start again when you have time.`,
  sign_in_rejected: ({ tool, workspace }) =>
    say`${tool} let you in, but did not accept the access it gave. Start again; if it stays like this, tell ${workspace}.`,
  window_replaced: ({ tool }) =>
    say`You opened the window to ${tool} again, and this one counts no more. Close it, and go on in the other.`,
  wrong_host: ({ tool }) =>
    say`There is no ${tool} at this address. Check the address, and copy it from your browser when you are signed in.`,
  unknown: ({ tool, workspace }) =>
    say`${tool} did not take part as it should. Start again; if it stays like this, tell ${workspace}.`,
}
