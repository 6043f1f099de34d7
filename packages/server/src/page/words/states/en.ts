import { say } from '../../phrase.ts'
import { measuresOf } from '../measures.ts'
import type { Words } from '../words.ts'

const { day, inTime } = measuresOf('en')

/** English: what is so, and what it means. */
export const enStates: Words['states'] = {
  noneInWorkspace: ({ workspace }) => ({
    title: 'There is nothing to connect yet',
    body: say`${workspace} has not added any tool to this link. Ask ${workspace} to add one.`,
  }),
  noneMatchKeys: ({ workspace }) => ({
    title: 'There is nothing to connect here',
    body: say`${workspace} asked for tools that it does not offer. Tell ${workspace} about it.`,
  }),
  noneWithSignIn: ({ workspace }) => ({
    title: 'There is nothing to sign in to',
    body: say`This link only takes tools that you sign in to, and ${workspace} has not set up any. Tell ${workspace} about it.`,
  }),
  appMissing: ({ workspace, tool }) => ({
    title: say`Signing in to ${tool} is not set up yet`,
    body: say`This is for ${workspace} to do. Tell ${workspace} about it.`,
  }),
  signIn: ({ workspace, tool, host }) => ({
    title: say`${workspace} wants to connect to your ${tool}`,
    body: say`You sign in at ${host}, and see there what you share. ${workspace} never sees your password.`,
  }),
  signInAgain: ({ workspace, tool, host }) => ({
    title: say`${workspace} wants to connect to your ${tool} again`,
    body: say`You sign in at ${host}, and see there what you share. ${workspace} never sees your password.`,
  }),
  beforeSignIn: ({ workspace, tool, host }) => ({
    title: say`${workspace} added ${tool} itself and nobody else has checked it. Go on only if you know ${host}.`,
    body: say`You can disconnect at any time. If you did not ask for this, close this page: ${workspace} gets nothing.`,
  }),
  waitingSignIn: ({ tool }) => ({
    title: say`Finish signing in to ${tool}`,
    body: say`${tool} is open in another window. When you are done there, this page goes on by itself.`,
  }),
  popupBlocked: ({ tool }) => ({
    title: 'Your browser blocked the window',
    body: say`Continue to ${tool} on this page instead. You come back here when you are done.`,
  }),
  popupBlockedInFrame: ({ tool }) => ({
    title: 'Your browser blocked the window',
    body: say`Continue to ${tool} in a new tab instead. When you are done there, this page goes on by itself.`,
  }),
  windowClosed: ({ tool }) => ({
    title: 'Is the window still open?',
    body: say`If it is, finish signing in to ${tool} there. If not, open it again. This page goes on by itself.`,
  }),
  checking: ({ tool }) => ({
    title: say`Checking with ${tool}`,
    body: 'This takes a few seconds. Keep this page open.',
  }),
  slow: ({ tool }) => ({
    title: say`${tool} is taking longer than usual`,
    body: say`You can keep waiting, or leave and try later. Nothing is connected until ${tool} answers.`,
  }),
  offline: () => ({
    title: 'You are offline',
    body: 'What you entered is still here. Check your connection, then try again.',
  }),
  connected: ({ tool, workspace }) => ({
    title: say`${tool} is connected`,
    body: say`You can close this page and go back to ${workspace}.`,
  }),
  connectedAs: ({ tool, workspace, account }) => ({
    title: say`${tool} is connected`,
    body: say`Connected as ${account}. You can close this page and go back to ${workspace}.`,
  }),
  failed: ({ tool }) => ({
    title: say`${tool} was not connected`,
    body: 'Nothing is shared.',
  }),
  expired: ({ workspace, at }) => ({
    title: say`This link expired on ${day(at)}`,
    body: say`Ask ${workspace} for a new one. What you connected before stays connected.`,
  }),
  revoked: ({ workspace }) => ({
    title: say`${workspace} has closed this link`,
    body: say`Ask ${workspace} for a new one. What you connected before stays connected.`,
  }),
  unknownLink: () => ({
    title: 'We do not know this link',
    body: 'Part of it may be missing. Open it again from where you got it, or ask for a new one.',
  }),
  full: ({ workspace }) => ({
    title: 'This link is used up',
    body: say`Everything that it allows is connected. Ask ${workspace} for a new one.`,
  }),
  identifierFull: ({ workspace }) => ({
    title: 'You have connected all that this link allows',
    body: say`To connect more, ask ${workspace} for a new link.`,
  }),
  alreadyFinished: ({ tool }) => ({
    title: 'This is already finished',
    body: say`Your answer about ${tool} came in before, and was used once. Nothing was done twice.`,
  }),
  stillRunning: ({ tool }) => ({
    title: say`We are still checking with ${tool}`,
    body: 'You have sent this once already. It goes on, and nothing is done twice.',
  }),
  rateLimited: ({ seconds }) => ({
    title: 'That was a little too fast',
    body: say`Try again ${inTime(seconds)}. What is connected stays connected.`,
  }),
  tooManyFailed: ({ seconds }) => ({
    title: 'Too many attempts have failed',
    body: say`Too many attempts from here were not accepted. Try again ${inTime(seconds)}. What is connected stays connected.`,
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
    title: say`${tool} is not offered here any more`,
    body: say`${workspace} has changed this link meanwhile. Nothing is connected, and nothing that you entered was kept.`,
  }),
  wayChanged: ({ tool, workspace }) => ({
    title: say`${tool} is connected in another way now`,
    body: say`${workspace} has changed this meanwhile. Nothing is connected, and nothing that you entered was kept.`,
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
