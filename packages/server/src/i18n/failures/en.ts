import { t } from '../localized-text.ts'
import type { Messages } from '../messages.ts'

/** English: what happened and what to do about it. */
export const enFailures: Messages['failures'] = {
  access_denied: () => 'Access was denied. Nothing is shared. If that was a mistake, start again.',
  authorization_request_failed: ({ workspace, tool }) =>
    t`${tool} didn't accept the sign-in request. Nothing is shared. Contact ${workspace}: only they can fix this.`,
  cancelled: ({ tool }) =>
    t`You cancelled before ${tool} responded. Nothing is connected. Start again whenever you like.`,
  credentials_rejected: ({ workspace, tool }) =>
    t`${tool} didn't accept what you entered. Check it and try again. Still not working? Contact ${workspace}.`,
  egress_unavailable: ({ workspace, tool }) =>
    t`We couldn't reach ${tool} because of a network problem on our side. Try again in a few minutes. Still not working? Contact ${workspace}.`,
  identity_mismatch: ({ tool }) =>
    t`You signed in to ${tool} with a different account than before. Sign out there, then start again and sign in with the same account.`,
  insufficient_scope: ({ tool }) =>
    t`${tool} accepted this key, but it doesn't allow enough. Give it more permissions in ${tool}, or use another one.`,
  integration_failed: ({ workspace, tool }) =>
    t`${tool} couldn't be connected because of an error on our side. Try again; if it keeps happening, contact ${workspace}.`,
  integration_timeout: ({ workspace, tool }) =>
    t`Connecting ${tool} took too long. Try again; if it keeps happening, contact ${workspace}.`,
  invalid_credentials: ({ workspace, tool }) =>
    t`${tool} didn't accept this key. Check that you copied all of it, or create a new one. Still not working? Contact ${workspace}.`,
  link_expired: ({ workspace }) => t`This link has expired. Ask ${workspace} for a new one.`,
  link_full: ({ workspace }) => t`This link has reached its limit. Ask ${workspace} for a new one.`,
  link_identifier_full: ({ workspace }) =>
    t`You've connected everything this link allows. Ask ${workspace} for a new one.`,
  link_revoked: ({ workspace }) => t`${workspace} has closed this link. Ask for a new one.`,
  oauth_app_missing: ({ workspace, tool }) =>
    t`Sign-in to ${tool} isn't set up yet. Contact ${workspace} to set it up.`,
  oauth_attempt_invalid: ({ workspace }) =>
    t`${workspace} has changed something in the meantime. Go back and start again.`,
  oauth_issuer_mismatch: ({ tool }) =>
    t`The response didn't come from the site where you signed in to ${tool}. For your safety, we stopped. Start again.`,
  other_browser: ({ tool }) =>
    t`You signed in to ${tool} in another browser. For your safety, we stopped. Start again and stay in one browser.`,
  oauth_start_revoked: ({ workspace, tool }) =>
    t`${workspace} withdrew this request, so ${tool} wasn't connected. Contact ${workspace} if you still want to connect it.`,
  provider_error: ({ tool }) => t`${tool} isn't responding right now. Try again in a few minutes.`,
  provider_timeout: ({ tool }) => t`${tool} took too long to respond. Try again in a few minutes.`,
  rate_limited: ({ tool }) =>
    t`${tool} is limiting requests right now. Wait a minute, then try again.`,
  sign_in_overdue: ({ tool }) =>
    t`The sign-in to ${tool} wasn't finished within 10 minutes. Start again when you're ready.`,
  sign_in_rejected: ({ workspace, tool }) =>
    t`You signed in, but ${tool} then rejected the access it had granted. Start again; if it keeps happening, contact ${workspace}.`,
  window_replaced: ({ tool }) =>
    t`You opened ${tool} again in another window. Close this one and continue there.`,
  wrong_host: ({ tool }) =>
    t`There is no ${tool} at this address. Check it, or copy it from your browser while you're signed in.`,
  unknown: ({ workspace, tool }) =>
    t`${tool} gave an unexpected response. Start again; if it keeps happening, contact ${workspace}.`,
}
