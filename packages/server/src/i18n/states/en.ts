import { getFormatters } from '../formatters.ts'
import { t } from '../localized-text.ts'
import type { Messages } from '../messages.ts'

const { day, relativeTime } = getFormatters('en')

/** English: what is so, and what it means. */
export const enStates: Messages['states'] = {
  noneInWorkspace: ({ workspace }) => ({
    title: 'There is nothing to connect yet',
    body: t`${workspace} has not added any tool to this link. Ask ${workspace} to add one.`,
  }),
  noneMatchKeys: ({ workspace }) => ({
    title: 'There is nothing to connect here',
    body: t`${workspace} asked for tools that it does not offer. Tell ${workspace} about it.`,
  }),
  noneWithSignIn: ({ workspace }) => ({
    title: 'There is nothing to sign in to',
    body: t`This link only takes tools that you sign in to, and ${workspace} has not set up any. Tell ${workspace} about it.`,
  }),
  appMissing: ({ workspace, tool }) => ({
    title: t`Signing in to ${tool} is not set up yet`,
    body: t`This is for ${workspace} to do. Tell ${workspace} about it.`,
  }),
  signIn: ({ workspace, tool, host }) => ({
    title: t`${workspace} wants to connect to your ${tool}`,
    body: t`You sign in at ${host}, and see there what you share. ${workspace} never sees your password.`,
  }),
  signInAgain: ({ workspace, tool, host }) => ({
    title: t`${workspace} wants to connect to your ${tool} again`,
    body: t`You sign in at ${host}, and see there what you share. ${workspace} never sees your password.`,
  }),
  beforeSignIn: ({ workspace, tool, host }) => ({
    title: t`${workspace} added ${tool} itself and nobody else has checked it. Go on only if you know ${host}.`,
    body: t`You can disconnect at any time. If you did not ask for this, close this page: ${workspace} gets nothing.`,
  }),
  waitingSignIn: ({ tool }) => ({
    title: t`Finish signing in to ${tool}`,
    body: t`${tool} is open in another window. When you are done there, this page goes on by itself.`,
  }),
  popupBlocked: ({ tool }) => ({
    title: 'Your browser blocked the window',
    body: t`Continue to ${tool} on this page instead. You come back here when you are done.`,
  }),
  popupBlockedInFrame: ({ tool }) => ({
    title: 'Your browser blocked the window',
    body: t`Continue to ${tool} in a new tab instead. When you are done there, this page goes on by itself.`,
  }),
  windowClosed: ({ tool }) => ({
    title: 'Is the window still open?',
    body: t`If it is, finish signing in to ${tool} there. If not, open it again. This page goes on by itself.`,
  }),
  checking: ({ tool }) => ({
    title: t`Checking with ${tool}`,
    body: 'This takes a few seconds. Keep this page open.',
  }),
  slow: ({ tool }) => ({
    title: t`${tool} is taking longer than usual`,
    body: t`You can keep waiting, or leave and try later. Nothing is connected until ${tool} answers.`,
  }),
  offline: () => ({
    title: 'You are offline',
    body: 'What you entered is still here. Check your connection, then try again.',
  }),
  connected: ({ tool, workspace }) => ({
    title: t`${tool} is connected`,
    body: t`You can close this page and go back to ${workspace}.`,
  }),
  connectedAs: ({ tool, workspace, account }) => ({
    title: t`${tool} is connected`,
    body: t`Connected as ${account}. You can close this page and go back to ${workspace}.`,
  }),
  failed: ({ tool }) => ({
    title: t`${tool} was not connected`,
    body: 'Nothing is shared.',
  }),
  expired: ({ workspace, at }) => ({
    title: t`This link expired on ${day(at)}`,
    body: t`Ask ${workspace} for a new one. What you connected before stays connected.`,
  }),
  revoked: ({ workspace }) => ({
    title: t`${workspace} has closed this link`,
    body: t`Ask ${workspace} for a new one. What you connected before stays connected.`,
  }),
  unknownLink: () => ({
    title: 'We do not know this link',
    body: 'Part of it may be missing. Open it again from where you got it, or ask for a new one.',
  }),
  full: ({ workspace }) => ({
    title: 'This link is used up',
    body: t`Everything that it allows is connected. Ask ${workspace} for a new one.`,
  }),
  identifierFull: ({ workspace }) => ({
    title: 'You have connected all that this link allows',
    body: t`To connect more, ask ${workspace} for a new link.`,
  }),
  alreadyFinished: ({ tool }) => ({
    title: 'This is already finished',
    body: t`Your answer about ${tool} came in before, and was used once. Nothing was done twice.`,
  }),
  stillRunning: ({ tool }) => ({
    title: t`We are still checking with ${tool}`,
    body: 'You have sent this once already. It goes on, and nothing is done twice.',
  }),
  rateLimited: ({ seconds }) => ({
    title: 'That was a little too fast',
    body: t`Try again ${relativeTime(seconds)}. What is connected stays connected.`,
  }),
  tooManyFailed: ({ seconds }) => ({
    title: 'Too many attempts have failed',
    body: t`Too many attempts from here were not accepted. Try again ${relativeTime(seconds)}. What is connected stays connected.`,
  }),
  notHere: () => ({
    title: 'This page cannot be shown here',
    body: 'The site around it is not on the list of those that may show it. Ask its makers to add it.',
  }),
  notOurs: () => ({
    title: 'This came from another page',
    body: 'For your safety nothing was done. Open the link that you were given, and use its button.',
  }),
  wrongAddress: () => ({
    title: 'This link was put together wrongly',
    body: 'It does not say properly whom this is for, so nothing was done. Tell whoever gave you this link.',
  }),
  notOffered: ({ tool, workspace }) => ({
    title: t`${tool} is not offered here any more`,
    body: t`${workspace} has changed this link meanwhile. Nothing is connected, and nothing that you entered was kept.`,
  }),
  wayChanged: ({ tool, workspace }) => ({
    title: t`${tool} is connected in another way now`,
    body: t`${workspace} has changed this meanwhile. Nothing is connected, and nothing that you entered was kept.`,
  }),
  redirectNotAllowed: () => ({
    title: 'This link leads back to an address that is not allowed',
    body: 'Its makers have not listed that address, so nothing was done. Tell whoever gave you this link.',
  }),
  busy: () => ({
    title: 'We cannot go on right now',
    body: 'This is on our side, and nothing was connected. Wait a minute, then start again.',
  }),
  closed: () => ({
    title: 'You can close this window',
    body: 'The page that you came from goes on by itself.',
  }),
  notKnown: () => ({
    title: 'This page is not good any more',
    body: 'It was used already, or 10 minutes have passed. Go back to where you came from and start again.',
  }),
  finished: () => ({
    title: 'This is already finished',
    body: 'You can close this page. Where you came from, you see whether it is connected.',
  }),
  otherBrowser: () => ({
    title: 'This was started in another browser',
    body: 'For your safety it was stopped and nothing was connected. Start again, and stay in one browser. Cookies must be allowed.',
  }),
}
