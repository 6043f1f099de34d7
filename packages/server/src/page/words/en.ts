import { say } from '../phrase.ts'
import { measuresOf } from './measures.ts'
import type { Words } from './words.ts'

const { number, day, inTime, plural } = measuresOf('en')

/** English. */
export const en: Words = {
  secured: 'Secured by Linchpin',
  privacy: 'Privacy',
  terms: 'Terms',
  action: {
    back: 'Back',
    close: 'Close',
    cancel: 'Cancel',
    done: 'Done',
    tryAgain: 'Try again',
    startAgain: 'Start again',
    checkAgain: 'Check again',
    useAnotherKey: 'Use another key',
    useAnotherWay: 'Connect in another way',
    chooseAnother: 'Choose another tool',
    connectAnother: 'Connect another tool',
    openAgain: 'Open the window again',
    connect: ({ tool }) => say`Connect ${tool}`,
    continueTo: ({ tool }) => say`Continue to ${tool}`,
    returnTo: ({ workspace }) => say`Return to ${workspace}`,
  },
  picker: {
    title: ({ workspace }) => say`${workspace} wants to connect your tools`,
    body: 'Choose a tool. Before anything is shared, you see what it is.',
    search: 'Search tools',
    searchButton: 'Search',
    clear: 'Show all tools',
    categories: 'Categories',
    all: 'All',
    found: ({ count }) =>
      plural(count, { one: `${number(count)} tool`, other: `${number(count)} tools` }),
    noMatch: ({ query }) => ({
      title: say`No tool matches “${query}”`,
      body: 'Check the spelling, or try a shorter word.',
    }),
    connectedHere: 'Connected just now',
    connected: 'Connected',
    custom: 'Custom',
    alpha: 'Early version',
    beta: 'Beta',
    category: {
      accounting: 'Accounting',
      analytics: 'Analytics',
      calendar: 'Calendar',
      communication: 'Communication',
      crm: 'Customers',
      design: 'Design',
      development: 'Development',
      documentation: 'Documentation',
      email: 'Email',
      hr: 'People',
      marketing: 'Marketing',
      monitoring: 'Monitoring',
      other: 'Other',
      payments: 'Payments',
      sales: 'Sales',
      storage: 'Files',
      support: 'Support',
      ticketing: 'Ticketing',
    },
  },
  auth: {
    title: ({ tool }) => say`How do you want to connect ${tool}?`,
    body: 'Both ways share the same. You can disconnect at any time.',
    signIn: ({ tool }) => say`Sign in to ${tool}`,
    signInLine: ({ host }) => say`You sign in at ${host}; there is nothing to copy.`,
    recommended: 'Recommended',
    apiKey: 'Use an API key',
    apiKeyLine: ({ tool }) => say`You copy a key from your settings in ${tool}.`,
    token: 'Use an access token',
    password: 'Use a user name and password',
    passwordLine: 'The password is kept sealed.',
    other: ({ label }) => say`Use ${label}`,
  },
  form: {
    title: ({ tool }) => say`Connect ${tool}`,
    who: ({ workspace, tool }) => say`${workspace} wants to connect to your ${tool}.`,
    body: ({ tool }) =>
      say`We check this with ${tool} and keep it sealed. You can disconnect at any time.`,
    custom: ({ workspace, tool }) =>
      say`${workspace} added ${tool} itself and nobody else has checked it. Go on only if you know it.`,
    optional: 'optional',
    choose: 'Choose',
    show: 'Show',
    hide: 'Hide',
    showField: ({ label }) => say`Show ${label}`,
    hideField: ({ label }) => say`Hide ${label}`,
    whereToFind: 'Where do I find this?',
    newWindow: 'opens a new window',
    faults: ({ count }) =>
      plural(count, {
        one: 'One answer needs another look',
        other: `${number(count)} answers need another look`,
      }),
    typeAgain: 'For your safety we did not keep this. Enter it again.',
    missing: ({ label }) => say`Enter ${label}`,
    notChosen: ({ label }) => say`Choose ${label}`,
    notEmail: 'Enter an email address, like name@example.com',
    notUrl: 'Enter a full address, like https://example.com',
    notNumber: 'Enter a number',
    notDate: 'Enter a date',
    tooShort: ({ count }) =>
      plural(count, {
        one: 'Enter at least one character',
        other: `Enter at least ${number(count)} characters`,
      }),
    tooLong: ({ count }) =>
      plural(count, {
        one: 'Enter one character only',
        other: `Enter ${number(count)} characters or fewer`,
      }),
    tooSmall: ({ count }) => say`Enter ${number(count)} or more`,
    tooLarge: ({ count }) => say`Enter ${number(count)} or less`,
    notLike: ({ label }) => say`Check ${label}: it does not have the form that is expected`,
    example: ({ label }) => say`For example ${label}`,
  },
  states: {
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
      body: say`This is for ${workspace} to do. Tell ${workspace}, or choose another tool.`,
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
    windowClosed: ({ tool }) => ({
      title: 'The window was closed',
      body: say`If you finished signing in to ${tool}, wait a moment. If not, open the window again.`,
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
    notHere: () => ({
      title: 'This page cannot be shown here',
      body: 'The site around it is not on the list of those that may show it. Ask its makers to add it.',
    }),
    notOurs: () => ({
      title: 'This came from another page',
      body: 'For your safety nothing was done. Open the link that you were given, and use its button.',
    }),
    redirectNotAllowed: () => ({
      title: 'This link leads back to an address that is not allowed',
      body: 'The address in redirectURL is not on the list of its makers. Nothing was done; tell them to add it, exactly as it is written.',
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
  },
  failures: {
    access_denied: ({ tool }) =>
      say`You, or the owner of your ${tool}, said no. Nothing is shared. If that was a mistake, start again.`,
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
    provider_error: ({ tool }) =>
      say`${tool} cannot answer right now. Wait a few minutes, then start again.`,
    provider_timeout: ({ tool }) =>
      say`${tool} took too long to answer. Wait a few minutes, then start again.`,
    rate_limited: ({ tool }) => say`${tool} asks us to slow down. Wait a minute, then try again.`,
    sign_in_overdue: ({ tool }) =>
      say`Nobody finished signing in to ${tool} within 10 minutes. Start again when you have time.`,
    wrong_host: ({ tool }) =>
      say`There is no ${tool} at this address. Check the address, and copy it from your browser when you are signed in.`,
    unknown: ({ tool, workspace }) =>
      say`${tool} did not take part as it should. Start again; if it stays like this, tell ${workspace}.`,
  },
}
