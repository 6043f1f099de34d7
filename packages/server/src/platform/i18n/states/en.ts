import { getFormatters } from '../language.ts'
import { t } from '../localized-text.ts'
import type { Messages } from '../messages.ts'

const { day, relativeTime } = getFormatters('en')

/** English: one message per screen. */
export const enStates: Messages['states'] = {
  noneInWorkspace: ({ workspace }) => ({
    title: "There's nothing to connect yet",
    body: t`${workspace} hasn't added any tools to this link. Ask ${workspace} to add one.`,
  }),
  noneMatchKeys: ({ workspace }) => ({
    title: "There's nothing to connect here",
    body: t`This link asks for tools that ${workspace} doesn't offer. Contact ${workspace}.`,
  }),
  noneWithSignIn: ({ workspace }) => ({
    title: "There's nothing to sign in to",
    body: t`This link only accepts tools that you sign in to, and ${workspace} hasn't set up any. Contact ${workspace}.`,
  }),
  appMissing: ({ workspace, tool }) => ({
    title: t`${tool} isn't set up yet`,
    body: t`${workspace} has to set up sign-in to ${tool} before you can connect it. Contact ${workspace}.`,
  }),
  appRemoved: ({ workspace, tool }) => ({
    title: t`${tool} can't be reconnected right now`,
    body: t`${workspace} has to set up sign-in to ${tool} again first. Your connection wasn't changed. Contact ${workspace}.`,
  }),
  toolGone: ({ workspace }) => ({
    title: 'This tool is no longer available here',
    body: t`${workspace} doesn't offer it any more. Nothing was changed. Contact ${workspace} if you still need it.`,
  }),
  signIn: ({ workspace, tool, host }) => ({
    title: t`Connect ${tool} to ${workspace}`,
    body: t`You'll sign in at ${host}, where you can review what you share. ${workspace} never sees your password.`,
  }),
  signInAgain: ({ workspace, tool, host }) => ({
    title: t`Reconnect ${tool} to ${workspace}`,
    body: t`You'll sign in at ${host}, where you can review what you share. ${workspace} never sees your password.`,
  }),
  beforeSignIn: ({ workspace, tool, host }) => ({
    title: t`${workspace} built this connection to ${tool}; it hasn't been reviewed. Continue only if you recognize ${host}.`,
    body: t`You can disconnect at any time. If you didn't ask for this, close this page: nothing is shared with ${workspace}.`,
  }),
  waitingSignIn: ({ tool }) => ({
    title: t`Finish signing in to ${tool}`,
    body: t`${tool} is open in another window. When you finish there, this page will update automatically.`,
  }),
  popupBlocked: ({ tool }) => ({
    title: 'Your browser blocked the window',
    body: t`Continue to ${tool} on this page instead. You'll come back here when you're done.`,
  }),
  popupBlockedInFrame: ({ tool }) => ({
    title: 'Your browser blocked the window',
    body: t`Continue to ${tool} in a new tab instead. When you finish there, this page will update automatically.`,
  }),
  windowClosed: ({ tool }) => ({
    title: 'Sign-in not finished',
    body: t`The window for signing in to ${tool} seems to be closed. Try again or, if it is still open, finish there: this page will update automatically.`,
  }),
  checking: ({ tool }) => ({
    title: t`Checking with ${tool}`,
    body: 'This takes a few seconds. Keep this page open.',
  }),
  slow: ({ tool }) => ({
    title: t`${tool} is taking longer than usual`,
    body: t`You can keep waiting, or leave and try again later. Nothing is connected until ${tool} responds.`,
  }),
  offline: () => ({
    title: "You're offline",
    body: 'What you entered is still here. Check your connection, then try again.',
  }),
  connected: ({ workspace, tool }) => ({
    title: t`${tool} is connected`,
    body: t`You can close this page and go back to ${workspace}.`,
  }),
  connectedAs: ({ workspace, tool, account }) => ({
    title: t`${tool} is connected`,
    body: t`Connected as ${account}. You can close this page and go back to ${workspace}.`,
  }),
  failed: ({ tool }) => ({
    title: t`${tool} was not connected`,
    body: 'Nothing is shared.',
  }),
  alreadyConnected: ({ tool, account }) => ({
    title: t`You've already connected ${account}`,
    body: t`Update that connection to ${tool} with what you just provided, or add it as another one. Until you choose, nothing changes.`,
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
    title: "We can't find this link",
    body: 'Part of it may be missing. Open it again from where you got it, or ask for a new one.',
  }),
  full: ({ workspace }) => ({
    title: 'This link has reached its limit',
    body: t`Everything it allows is already connected. Ask ${workspace} for a new one.`,
  }),
  identifierFull: ({ workspace }) => ({
    title: "You've connected everything this link allows",
    body: t`To connect more, ask ${workspace} for a new link.`,
  }),
  alreadyFinished: ({ tool }) => ({
    title: 'This is already done',
    body: t`You've already submitted this form for ${tool}. Nothing was done twice.`,
  }),
  stillRunning: ({ tool }) => ({
    title: t`We're still checking with ${tool}`,
    body: "You've already submitted this form. The check is still running, and nothing is done twice.",
  }),
  rateLimited: ({ seconds }) => ({
    title: 'Too many requests',
    body: t`Try again ${relativeTime(seconds)}. Anything already connected stays connected.`,
  }),
  tooManyFailed: ({ seconds }) => ({
    title: 'Too many failed attempts',
    body: t`Too many attempts from your browser or network were rejected. Try again ${relativeTime(seconds)}. Anything already connected stays connected.`,
  }),
  notHere: () => ({
    title: "This page can't be shown here",
    body: "This site isn't on the list of sites that may show it. Ask the company that runs this site to add it.",
  }),
  notOurs: () => ({
    title: "This form couldn't be submitted",
    body: 'For your safety, we only accept forms from this page itself, so nothing was done. Open your link again and submit the form there.',
  }),
  sessionStart: ({ workspace }) => ({
    title: t`${workspace} asks you to connect a tool`,
    body: t`You choose what to connect on the next page. Continue only if you came here from ${workspace}; this page then works in this browser only.`,
  }),
  sessionStartOne: ({ workspace, tool }) => ({
    title: t`Connect ${tool} to ${workspace}`,
    body: t`Continue only if you came here from ${workspace}; this page then works in this browser only.`,
  }),
  sessionRefused: () => ({
    title: "This page can't be used",
    body: 'It works once, in one browser and for a limited time. Go back to where you came from and start again.',
  }),
  sessionUsed: ({ workspace }) => ({
    title: 'This link was already used',
    body: t`What it was for is done. To connect something else, ask ${workspace} for a new one.`,
  }),
  sessionElsewhere: ({ workspace }) => ({
    title: 'This link was opened in another browser',
    body: t`For your safety, it works only in the browser that opened it first. Continue there, or ask ${workspace} for a new one.`,
  }),
  sessionRequired: () => ({
    title: 'This page needs an invitation',
    body: 'Go back to the app that sent you here and start from there.',
  }),
  wrongAddress: () => ({
    title: "This link isn't valid",
    body: "It doesn't say correctly who it's for, so nothing was done. Contact the company that sent it.",
  }),
  notOffered: ({ workspace, tool }) => ({
    title: t`${tool} is no longer available here`,
    body: t`${workspace} has changed this link. Nothing is connected, and we haven't stored anything you entered.`,
  }),
  wayChanged: ({ workspace, tool }) => ({
    title: t`${tool} is now connected in a different way`,
    body: t`${workspace} has changed this connection. Nothing is connected, and we haven't stored anything you entered.`,
  }),
  redirectNotAllowed: () => ({
    title: "This link leads back to an address that isn't allowed",
    body: "The company that sent it hasn't allowed this address, so nothing was done. Contact that company.",
  }),
  busy: () => ({
    title: "We can't continue right now",
    body: 'The problem is on our side, and nothing was connected. Wait a minute, then start again.',
  }),
  closed: () => ({
    title: 'You can close this window',
    body: 'The page you came from will update automatically.',
  }),
  notKnown: () => ({
    title: 'This page has expired',
    body: 'It was already used, or 10 minutes have passed. Go back to where you came from and start again.',
  }),
  finished: () => ({
    title: 'This is already done',
    body: 'You can close this page. The page you came from shows whether the connection worked.',
  }),
  adminConsent: () => ({
    title: "The administrator's permission was granted",
    body: 'Nothing is connected yet. Go back to the app that you want to connect and start there.',
  }),
  startedElsewhere: () => ({
    title: 'This sign-in has to start elsewhere',
    body: "The app that you want to connect didn't start it, so nothing was connected. Open that app and connect from there.",
  }),
  otherBrowser: () => ({
    title: 'This was started in another browser',
    body: 'For your safety, we stopped and nothing was connected. Start again and stay in one browser. Cookies must be allowed.',
  }),
}
