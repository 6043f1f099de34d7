import { createTextTag, getFormatters } from '../localized-text.ts'
import type { Messages } from '../messages.ts'

const LOCALE = 'en-GB'
const THIS_APP = 'this app'
const { day, daysAgo, minute, number, plural, relativeTime } = getFormatters(LOCALE)
const t = createTextTag(THIS_APP)

/** English. */
export const en = {
  locale: LOCALE,
  direction: 'ltr',
  technicalTerms:
    /\b(?:oauth|bundle|credentials?|authenti\w+|authori[sz]\w+|provider|token endpoint|whitelist)\b|!/i,
  secured: 'Secured by Linchpin',
  privacy: 'Privacy',
  terms: 'Terms',
  thisApp: THIS_APP,
  action: {
    back: 'Back',
    close: 'Close',
    cancel: 'Cancel',
    done: 'Done',
    tryAgain: 'Try again',
    continue: 'Continue',
    startAgain: 'Start again',
    checkAgain: 'Check again',
    chooseAnother: 'Choose another tool',
    connectAnother: 'Connect another tool',
    updateConnection: 'Update that connection',
    addConnection: 'Add it as another',
    openAgain: 'Open the window again',
    connect: ({ tool }) => t`Connect ${tool}`,
    continueTo: ({ tool }) => t`Continue to ${tool}`,
    returnTo: ({ workspace }) => t`Return to ${workspace}`,
    returning: ({ workspace }) => t`Returning to ${workspace}…`,
    stay: 'Stay on this page',
  },
  picker: {
    title: ({ workspace }) => t`Connect your tools to ${workspace}`,
    body: 'Choose a tool. Nothing is shared until you connect it.',
    search: 'Search tools',
    searchButton: 'Search',
    skip: 'Skip to the tools',
    clear: 'Show all tools',
    categories: 'Categories',
    all: 'All',
    resultCount: ({ count }) =>
      plural(count, { one: `${number(count)} tool`, other: `${number(count)} tools` }),
    noMatch: ({ query }) => ({
      title: t`No tool matches “${query}”`,
      body: 'Check the spelling, or try a shorter word.',
    }),
    connectedHere: 'Connected just now',
    connected: 'Connected',
    custom: 'Custom',
    test: 'Test',
    category: {
      accounting: 'Accounting',
      ai: 'AI',
      analytics: 'Analytics',
      ats: 'Recruiting',
      calendar: 'Calendar',
      crm: 'CRM',
      developer_tools: 'Developer tools',
      documentation: 'Documentation',
      hris: 'HR',
      identity: 'Identity',
      mail: 'Email',
      marketing: 'Marketing',
      messaging: 'Communication',
      other: 'Other',
      payments: 'Payments',
      project_management: 'Projects',
      social: 'Social',
      storage: 'Files',
      support: 'Support',
      ticketing: 'Ticketing',
    },
  },
  auth: {
    title: ({ tool }) => t`How do you want to connect ${tool}?`,
    body: "Choose what's easiest for you. You can disconnect at any time.",
    signIn: ({ tool }) => t`Sign in to ${tool}`,
    signInLine: ({ host }) => t`Sign in at ${host}. There's nothing to copy.`,
    recommended: 'Recommended',
    apiKey: 'Use an API key',
    apiKeyLine: ({ tool }) => t`Copy a key from your settings in ${tool}.`,
    tokenLine: ({ tool }) => t`Copy a token from your settings in ${tool}.`,
    token: 'Use an access token',
    password: 'Use a username and password',
    passwordLine: 'We store your password encrypted.',
    fieldsLine: ({ label }) => t`You need: ${label}.`,
    scopes: ({ workspace }) => t`${workspace} will be able to:`,
    newScopes: ({ workspace }) => t`New: ${workspace} will also be able to:`,
    moreScopes: ({ count }) => `${number(count)} more`,
    other: ({ label }) => t`Use ${label}`,
  },
  form: {
    title: ({ tool, workspace }) => t`Connect ${tool} to ${workspace}`,
    reconnectTitle: ({ tool, workspace }) => t`Reconnect ${tool} to ${workspace}`,
    change: 'Change',
    body: ({ workspace, tool }) =>
      t`${workspace} will be able to do anything in ${tool} that these details allow. We check them with ${tool} and store them encrypted. You can disconnect at any time.`,
    bodyForKey: ({ workspace, tool }) =>
      t`${workspace} will be able to do anything in ${tool} that this key allows. We check it with ${tool} and store it encrypted. You can disconnect at any time.`,
    custom: ({ workspace, tool }) =>
      t`${workspace} built this connection to ${tool}; it hasn't been reviewed. Continue only if you trust it.`,
    optional: 'optional',
    choose: 'Choose',
    show: 'Show',
    hide: 'Hide',
    showField: ({ label }) => t`Show ${label}`,
    hideField: ({ label }) => t`Hide ${label}`,
    whereToFind: 'Where do I find this?',
    newWindow: 'opens a new window',
    fieldErrors: ({ count }) =>
      plural(count, { one: 'Check one field', other: `Check ${number(count)} fields` }),
    reenterSecrets: "For your safety, this page doesn't keep keys or passwords. Enter them again.",
    sessionLost:
      'This page was open for too long, or cookies are blocked. Nothing was sent. Check the form, then submit it again.',
    missing: ({ label }) => t`Enter ${label}`,
    notChosen: ({ label }) => t`Choose ${label}`,
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
    tooSmall: ({ count }) => t`Enter ${number(count)} or more`,
    tooLarge: ({ count }) => t`Enter ${number(count)} or less`,
    patternMismatch: ({ label }) => t`Check ${label}: it isn't in the expected format`,
    example: ({ label }) => t`For example ${label}`,
    linesHelp: 'Enter one per line.',
    jsonHelp: 'Enter it as JSON.',
  },
  states: {
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
    chooseFacts: ({ tool }) => ({
      title: t`Choose what to connect in ${tool}`,
      body: t`Your access to ${tool} covers more than one.`,
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
  },
  portal: {
    start: ({ workspace }) => ({
      title: t`Your connections to ${workspace}`,
      body: t`See what you've connected to ${workspace} on the next page. Continue only if you came here from ${workspace}; this page then works in this browser only.`,
    }),
    title: ({ workspace }) => t`Your connections to ${workspace}`,
    body: 'Disconnect what you no longer need.',
    attention: ({ count, total }) =>
      plural(count, {
        one: `${number(count)} of ${plural(total, { one: '1 connection', other: `${number(total)} connections` })} needs attention`,
        other: `${number(count)} of ${number(total)} connections need attention`,
      }),
    none: ({ workspace }) => ({
      title: 'Nothing is connected',
      body: t`Tools that you connect to ${workspace} are listed here.`,
    }),
    signedInAs: ({ account }) => t`Signed in as ${account}`,
    connectedOn: ({ at }) => `Connected on ${day(at)}`,
    lastUsedOn: ({ at }) => `Last used on ${day(at)}`,
    lastUsedAgo: ({ count }) => `Last used ${daysAgo(count)}`,
    neverUsed: 'Not used yet',
    active: 'Working',
    unchecked: 'Not checked yet',
    needsReauth: 'Stopped working. Reconnect it.',
    error: ({ workspace }) => t`Not working right now. ${workspace} has to fix it.`,
    pending: ({ workspace }) => t`Waiting for ${workspace} to confirm it`,
    more: ({ tool, account }) => t`More for ${tool}: ${account}`,
    disconnect: 'Disconnect',
    disconnectAccount: ({ tool, account }) => t`Disconnect ${tool}: ${account}`,
    reconnect: 'Reconnect',
    reconnectAccount: ({ tool, account }) => t`Reconnect ${tool}: ${account}`,
    connectFirst: 'Connect a tool',
    showMore: 'Show more',
    yourConnections: 'Your connections',
    ask: ({ tool, workspace }) => ({
      title: t`Disconnect ${tool}?`,
      body: t`${workspace} will no longer be able to use this connection, and what we've stored for it is erased. You can connect ${tool} again at any time.`,
    }),
    confirm: ({ tool }) => t`Disconnect ${tool}`,
    keep: 'Keep it connected',
    disconnected: ({ tool }) => t`${tool} is disconnected`,
    revoked: ({ tool }) =>
      t`${tool} confirmed that it revoked the access, and we've erased what we stored.`,
    revocationUnsupported: ({ tool }) =>
      t`We've erased what we stored. ${tool} has no way for us to revoke the access; you can do it in your settings of ${tool}.`,
    revocationFailed: ({ tool }) =>
      t`We've erased what we stored, but ${tool} didn't confirm that it revoked the access. To be sure, remove it in your settings of ${tool}.`,
    grantShared: ({ tool }) =>
      t`We've erased what we stored. Another connection uses the same sign-in to ${tool}; the access is revoked when you disconnect that one, too.`,
    nothingToRevoke: ({ tool }) =>
      t`We've erased what we stored. If you created a key for this, delete it in your settings of ${tool}.`,
    gone: () => ({
      title: "This connection isn't listed any more",
      body: 'It may have been disconnected already. Nothing was changed.',
    }),
    agents: {
      link: 'AI assistants',
      ofAccount: ({ tool, account }) => t`AI assistants and ${tool}: ${account}`,
      ask: ({ tool, workspace }) => ({
        title: t`What may AI assistants do in ${tool}?`,
        body: t`AI assistants of ${workspace} can use this connection, within limits that ${workspace} sets. You can restrict them further.`,
      }),
      label: 'AI assistants may',
      access: {
        full: 'read and change',
        read_only: 'only read',
        paused: 'do nothing',
      },
      save: 'Save',
      saved: 'Saved. This applies from now on.',
      restricted: {
        read_only: 'AI assistants may only read',
        paused: 'Paused for AI assistants',
      },
      recent: 'Latest requests',
      none: 'None yet.',
      read: 'Read',
      changed: 'Sent',
      refused: 'Not sent',
      at: ({ at }) => minute(at),
      clients: 'Apps with access to your connections',
      endAccess: 'End access',
      endAccessOf: ({ client }) => t`End access: ${client}`,
    },
  },
  failures: {
    access_denied: () =>
      'Access was denied. Nothing is shared. If that was a mistake, start again.',
    admin_consent_granted: ({ tool }) =>
      t`An administrator of ${tool} has given permission, but no one has signed in yet. Start again to connect your account.`,
    already_connected: ({ tool }) =>
      t`You've already connected ${tool} with this account. Start again to update that connection or to add it as another.`,
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
      t`${tool} accepted this key, but it doesn't have enough permissions. Add them in ${tool}, or use another key.`,
    integration_failed: ({ workspace, tool }) =>
      t`${tool} couldn't be connected because of an error on our side. Try again; if it keeps happening, contact ${workspace}.`,
    integration_timeout: ({ workspace, tool }) =>
      t`Connecting ${tool} took too long. Try again; if it keeps happening, contact ${workspace}.`,
    key_rejected: ({ workspace, tool }) =>
      t`${tool} didn't accept this key. Check that you copied all of it, or create a new one. Still not working? Contact ${workspace}.`,
    link_expired: ({ workspace }) => t`This link has expired. Ask ${workspace} for a new one.`,
    link_full: ({ workspace }) =>
      t`This link has reached its limit. Ask ${workspace} for a new one.`,
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
    provider_error: ({ tool }) =>
      t`${tool} isn't responding right now. Try again in a few minutes.`,
    provider_timeout: ({ tool }) =>
      t`${tool} took too long to respond. Try again in a few minutes.`,
    rate_limited: ({ tool }) =>
      t`${tool} is limiting requests right now. Wait a minute, then try again.`,
    sign_in_overdue: ({ tool }) =>
      t`The sign-in to ${tool} wasn't finished within 10 minutes. Start again when you're ready.`,
    sign_in_rejected: ({ workspace, tool }) =>
      t`You signed in, but ${tool} then rejected the access it had granted. Start again; if it keeps happening, contact ${workspace}.`,
    window_replaced: ({ tool }) =>
      t`You opened ${tool} again in another window. Close this one and continue there.`,
    wrong_host: ({ tool }) =>
      t`There's no ${tool} at this address. Check it, or copy it from your browser while you're signed in.`,
    unknown: ({ workspace, tool }) =>
      t`${tool} gave an unexpected response. Start again; if it keeps happening, contact ${workspace}.`,
  },
  setup: {
    start: ({ tool, workspace }) => ({
      title: t`Set up ${tool} for ${workspace}`,
      body: t`This page is for the administrator of ${tool} in your organization. Once you continue, it works in this browser only.`,
    }),
    form: ({ tool, workspace }) => ({
      title: t`Set up ${tool} for ${workspace}`,
      body: t`${workspace} connects to ${tool} with an app of your own. Create it in ${tool}, then enter its details here.`,
    }),
    steps: ({ tool }) => t`In ${tool}`,
    createApp: ({ tool }) => t`Create an app in the developer settings of ${tool}.`,
    enterAddress: 'Enter the redirect URI below as an allowed address.',
    copyDetails: 'Copy the client ID and the client secret.',
    redirectUri: 'Redirect URI',
    redirectUriHelp: 'Copy it exactly, without a slash at the end.',
    scopes: 'Permissions that the app needs',
    details: 'Details of the app',
    clientId: 'Client ID',
    issuer: 'Issuer',
    issuerHelp: 'The address of the server where people sign in, such as https://auth.example.com.',
    noIssuer: 'No server for signing in was found at this address.',
    clientSecret: 'Client secret',
    clientSecretHelp: 'Leave it empty if the app has none.',
    check: 'Check and save',
    saveAnyway: 'Save anyway',
    note: ({ tool }) => t`The secret is stored encrypted, and sent to ${tool} only.`,
    failed:
      'The check found a problem, so nothing was saved. Correct it and enter the secret again, or save anyway.',
    problems: {
      client: ({ tool }) => t`${tool} doesn't know this client ID, or the secret is wrong.`,
      unreachable: ({ tool }) => t`${tool} didn't answer the check.`,
      redirectUri: ({ tool }) =>
        t`${tool} doesn't accept the redirect URI. Enter exactly the one above in the app.`,
      notAllowed: ({ workspace }) =>
        t`The secret may not be sent to this address yet. Ask ${workspace} to allow it.`,
    },
    saved: ({ tool, workspace }) => ({
      title: t`${tool} is set up`,
      body: t`From now on, your organization connects ${tool} to ${workspace} with your app. You can connect it right away.`,
    }),
    connectNow: 'Connect now',
  },
  agent: {
    start: ({ workspace }) => ({
      title: 'An assistant needs your answer',
      body: t`An assistant that works for you wants to do something that only you can allow. Continue to ${workspace}, so that we know it is you; then you see what it is.`,
    }),
    review: ({ workspace, tool }) => ({
      title: t`Allow this in ${tool}?`,
      body: t`An assistant in ${workspace} wants to send exactly this to ${tool}. It is sent once, and only if you allow it.`,
    }),
    as: ({ account }) => t`With your connection ${account}`,
    details: 'Details',
    content: 'Content',
    file: ({ count }) => `A file of ${number(count)} bytes, which we cannot show.`,
    allow: 'Allow once',
    deny: 'Do not allow',
    allowed: () => ({
      title: 'Allowed',
      body: 'The assistant can do this once, within ten minutes of its question. You can close this page.',
    }),
    denied: () => ({
      title: 'Not allowed',
      body: 'Nothing was sent. You can close this page.',
    }),
    wrongPerson: ({ workspace }) => ({
      title: 'This is for someone else',
      body: t`You are not the person whom the assistant asks, so nothing was shown or allowed. If someone sent you this link, tell ${workspace}.`,
    }),
    ended: () => ({
      title: 'This question has ended',
      body: 'It was answered, it took too long, or it was opened in another browser. Ask the assistant to try again.',
    }),
  },
  consent: {
    ask: ({ client, workspace }) => ({
      title: t`Let ${client} use your connections?`,
      body: t`${client} is not a part of ${workspace}. If you allow it, it can use what you have connected to ${workspace}, now and later, until ${workspace} ends this.`,
    }),
    from: ({ host }) => t`What it says of itself is published at ${host}.`,
    unverified: 'It has registered itself. Its name is not verified.',
    to: ({ host }) => t`Your answer goes to ${host}.`,
    local:
      'Your answer goes to a program on this device. Allow it only if you have just started to sign in there.',
    accounts: ({ workspace }) => t`Your connections to ${workspace}`,
    noAccounts: 'None yet',
    more: 'and more',
    allowRead: 'Allow reading',
    allowWrite: 'Allow reading and changes',
    invalid: {
      title: 'This sign-in cannot continue',
      body: 'Nothing was allowed. Go back to your app and start again. If this page returns, its developers need these details:',
    },
  },
  sandbox: {
    title: 'Sign in to Acme Sandbox',
    body: 'A tool for tests. Its people and tickets are made up, and nothing leaves this service.',
    access: 'Linchpin asks to read and create tickets.',
    as: ({ account }) => `Continue as ${account}`,
    deny: 'Deny',
    invalid: {
      title: 'This sign-in cannot continue',
      body: 'The request for it is incomplete. Go back and start again.',
    },
  },
  host: {
    title: 'Connect a tool',
    loading: 'Loading',
    failed: "This couldn't be opened. Close it and try again in a moment.",
    notAllowed: "This can't be opened here. Ask the company that runs this site to allow it.",
    close: 'Close',
  },
  labels: {
    'client credentials': 'a client ID and secret',
    'e-mail': 'Email',
  },
} satisfies Messages
