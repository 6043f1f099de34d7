import { t } from '../localized-text.ts'
import type { Messages } from '../messages.ts'

/** English: what happened, and whose move it is. */
export const enFailures: Messages['failures'] = {
  access_denied: ({ tool }) =>
    t`You, or the owner of your ${tool}, said no. Nothing is shared. If that was a mistake, start again.`,
  authorization_request_failed: ({ tool, workspace }) =>
    t`${tool} did not take the request to sign you in. Nothing is shared. Tell ${workspace}: only they can set it right.`,
  cancelled: ({ tool }) =>
    t`You took it back before ${tool} answered. Nothing is connected. Start again when you like.`,
  credentials_rejected: ({ tool, workspace }) =>
    t`${tool} did not accept what you entered. Check it, or enter something new; if it stays like this, tell ${workspace}.`,
  identity_mismatch: ({ tool }) =>
    t`You signed in to ${tool} as somebody else than before. Sign out there, then start again with the same person.`,
  insufficient_scope: ({ tool }) =>
    t`${tool} knows this key, but it allows too little. Give it more rights in ${tool}, or use another one.`,
  integration_failed: ({ tool, workspace }) =>
    t`The part that speaks with ${tool} failed. This is not your fault; tell ${workspace} about it.`,
  integration_timeout: ({ tool, workspace }) =>
    t`The part that speaks with ${tool} took too long. Try again; if it stays like this, tell ${workspace}.`,
  invalid_credentials: ({ tool }) =>
    t`${tool} did not accept this key. Copy it again, all of it, or make a new one in ${tool}.`,
  link_expired: ({ workspace }) => t`The link has expired. Ask ${workspace} for a new one.`,
  link_full: ({ workspace }) =>
    t`Everything that this link allows is connected. Ask ${workspace} for a new one.`,
  link_identifier_full: ({ workspace }) =>
    t`You have connected all that this link allows. Ask ${workspace} for a new one.`,
  link_revoked: ({ workspace }) => t`${workspace} has closed the link. Ask for a new one.`,
  oauth_app_missing: ({ tool, workspace }) =>
    t`Signing in to ${tool} is not set up yet. This is for ${workspace} to do; tell them about it.`,
  oauth_attempt_invalid: ({ workspace }) =>
    t`${workspace} has changed something meanwhile. Go back and start again.`,
  oauth_issuer_mismatch: ({ tool }) =>
    t`The answer did not come from where you signed in to ${tool}. For your safety it was stopped. Start again.`,
  other_browser: ({ tool }) =>
    t`You signed in to ${tool} in another browser. For your safety it was stopped. Start again, and stay in one browser.`,
  oauth_start_revoked: ({ tool, workspace }) =>
    t`${workspace} has taken back what it asked for, and ${tool} was not connected. Ask there if you still want it.`,
  provider_error: ({ tool }) =>
    t`${tool} cannot answer right now. Wait a few minutes, then start again.`,
  provider_timeout: ({ tool }) =>
    t`${tool} took too long to answer. Wait a few minutes, then start again.`,
  rate_limited: ({ tool }) => t`${tool} asks us to slow down. Wait a minute, then try again.`,
  sign_in_overdue: ({ tool }) =>
    t`Nobody finished signing in to ${tool} within 10 minutes. Start again when you have time.`,
  sign_in_rejected: ({ tool, workspace }) =>
    t`${tool} let you in, but did not accept the access it gave. Start again; if it stays like this, tell ${workspace}.`,
  window_replaced: ({ tool }) =>
    t`You opened the window to ${tool} again, and this one counts no more. Close it, and go on in the other.`,
  wrong_host: ({ tool }) =>
    t`There is no ${tool} at this address. Check the address, and copy it from your browser when you are signed in.`,
  unknown: ({ tool, workspace }) =>
    t`${tool} did not take part as it should. Start again; if it stays like this, tell ${workspace}.`,
}
