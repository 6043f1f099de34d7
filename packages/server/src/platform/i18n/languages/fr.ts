import { createTextTag, getFormatters } from '../localized-text.ts'
import type { Translation } from '../messages.ts'

const LOCALE = 'fr'
const THIS_APP = 'cette application'
const { day, daysAgo, minute, number, plural, relativeTime } = getFormatters(LOCALE)
const t = createTextTag(THIS_APP)

/** French, polite. */
export const fr = {
  locale: LOCALE,
  direction: 'ltr',
  technicalTerms: /oauth|bundle|credential|identifiants|authentifi|fournisseur|!/i,
  secured: 'Sécurisé par Linchpin',
  privacy: 'Confidentialité',
  terms: 'Conditions',
  thisApp: THIS_APP,
  action: {
    back: 'Retour',
    close: 'Fermer',
    cancel: 'Annuler',
    done: 'Terminé',
    tryAgain: 'Réessayer',
    continue: 'Continuer',
    startAgain: 'Recommencer',
    checkAgain: 'Vérifier à nouveau',
    chooseAnother: 'Choisir un autre outil',
    connectAnother: 'Connecter un autre outil',
    updateConnection: 'Mettre à jour la connexion',
    addConnection: 'Ajouter une autre connexion',
    openAgain: 'Rouvrir la fenêtre',
    connect: ({ tool }) => t`Connecter ${tool}`,
    continueTo: ({ tool }) => t`Continuer vers ${tool}`,
    returnTo: ({ workspace }) => t`Revenir à ${workspace}`,
    returning: ({ workspace }) => t`Retour à ${workspace} dans un instant…`,
    stay: 'Rester sur cette page',
  },
  picker: {
    title: ({ workspace }) => t`Connecter vos outils à ${workspace}`,
    body: 'Choisissez un outil. Rien n’est partagé tant que vous ne l’avez pas connecté.',
    search: 'Rechercher un outil',
    searchButton: 'Rechercher',
    skip: 'Aller aux outils',
    clear: 'Afficher tous les outils',
    categories: 'Catégories',
    all: 'Tous',
    resultCount: ({ count }) =>
      plural(count, { one: `${number(count)} outil`, other: `${number(count)} outils` }),
    noMatch: ({ query }) => ({
      title: t`Aucun outil ne correspond à « ${query} »`,
      body: 'Vérifiez l’orthographe ou essayez un mot plus court.',
    }),
    connectedHere: 'Connectés à l’instant',
    connected: 'Connecté',
    custom: 'Personnalisé',
    test: 'Test',
    category: {
      accounting: 'Comptabilité',
      ai: 'IA',
      analytics: 'Analyse',
      ats: 'Recrutement',
      calendar: 'Agenda',
      crm: 'CRM',
      developer_tools: 'Développement',
      documentation: 'Documentation',
      hris: 'RH',
      identity: 'Identité',
      mail: 'E-mail',
      marketing: 'Marketing',
      messaging: 'Communication',
      other: 'Autres',
      payments: 'Paiements',
      project_management: 'Projets',
      social: 'Réseaux sociaux',
      storage: 'Fichiers',
      support: 'Assistance',
      ticketing: 'Tickets',
    },
  },
  auth: {
    title: ({ tool }) => t`Comment souhaitez-vous connecter ${tool} ?`,
    body: 'Choisissez ce qui est le plus simple pour vous. Vous pourrez révoquer l’accès à tout moment.',
    signIn: ({ tool }) => t`Se connecter à ${tool}`,
    signInLine: ({ host }) => t`Connectez-vous sur ${host} ; il n’y a rien à copier.`,
    recommended: 'Recommandé',
    apiKey: 'Utiliser une clé API',
    apiKeyLine: ({ tool }) => t`Copiez une clé depuis vos paramètres dans ${tool}.`,
    tokenLine: ({ tool }) => t`Copiez un jeton depuis vos paramètres dans ${tool}.`,
    token: 'Utiliser un jeton d’accès',
    password: 'Utiliser un nom d’utilisateur et un mot de passe',
    passwordLine: 'Nous enregistrons votre mot de passe sous forme chiffrée.',
    fieldsLine: ({ label }) => t`Il vous faut : ${label}.`,
    scopes: ({ workspace }) => t`${workspace} pourra :`,
    newScopes: ({ workspace }) => t`Nouveau : ${workspace} pourra aussi :`,
    moreScopes: ({ count }) => `${number(count)} de plus`,
    other: ({ label }) => t`Utiliser ${label}`,
  },
  form: {
    title: ({ tool, workspace }) => t`Connecter ${tool} à ${workspace}`,
    reconnectTitle: ({ tool, workspace }) => t`Reconnecter ${tool} à ${workspace}`,
    change: 'Modifier',
    body: ({ workspace, tool }) =>
      t`${workspace} pourra faire dans ${tool} tout ce que ces informations permettent. Nous les vérifions auprès de ${tool} et les enregistrons chiffrées. Vous pouvez révoquer cet accès à tout moment.`,
    bodyForKey: ({ workspace, tool }) =>
      t`${workspace} pourra faire dans ${tool} tout ce que cette clé permet. Nous la vérifions auprès de ${tool} et l’enregistrons chiffrée. Vous pouvez révoquer cet accès à tout moment.`,
    custom: ({ workspace, tool }) =>
      t`${workspace} a créé cette connexion à ${tool} ; elle n’a pas été vérifiée. Ne continuez que si vous lui faites confiance.`,
    optional: 'facultatif',
    choose: 'Choisir',
    show: 'Afficher',
    hide: 'Masquer',
    showField: ({ label }) => t`Afficher ${label}`,
    hideField: ({ label }) => t`Masquer ${label}`,
    whereToFind: 'Où trouver cette information ?',
    newWindow: 'ouvre une nouvelle fenêtre',
    fieldErrors: ({ count }) =>
      plural(count, { one: 'Vérifiez un champ', other: `Vérifiez ${number(count)} champs` }),
    reenterSecrets:
      'Pour votre sécurité, cette page ne conserve ni clés ni mots de passe. Saisissez-les à nouveau.',
    sessionLost:
      'Cette page est restée ouverte trop longtemps ou les cookies sont bloqués. Rien n’a été envoyé. Vérifiez le formulaire, puis renvoyez-le.',
    missing: ({ label }) => t`À remplir : ${label}`,
    notChosen: ({ label }) => t`À choisir : ${label}`,
    notEmail: 'Saisissez une adresse e-mail, comme nom@example.com',
    notUrl: 'Saisissez une adresse complète, comme https://example.com',
    notNumber: 'Saisissez un nombre',
    notDate: 'Saisissez une date',
    tooShort: ({ count }) =>
      plural(count, {
        one: `Saisissez au moins ${number(count)} caractère`,
        other: `Saisissez au moins ${number(count)} caractères`,
      }),
    tooLong: ({ count }) =>
      plural(count, {
        one: `Saisissez ${number(count)} caractère au plus`,
        other: `Saisissez ${number(count)} caractères au plus`,
      }),
    tooSmall: ({ count }) => `Saisissez ${number(count)} ou plus`,
    tooLarge: ({ count }) => `Saisissez ${number(count)} ou moins`,
    patternMismatch: ({ label }) => t`Vérifiez ${label} : le format n’est pas celui attendu`,
    example: ({ label }) => t`Par exemple ${label}`,
    linesHelp: 'Saisissez un élément par ligne.',
    jsonHelp: 'Saisissez-le au format JSON.',
  },
  states: {
    noneInWorkspace: ({ workspace }) => ({
      title: 'Il n’y a encore rien à connecter',
      body: t`${workspace} n’a pas encore ajouté d’outil à ce lien. Demandez à ${workspace} d’en ajouter un.`,
    }),
    noneMatchKeys: ({ workspace }) => ({
      title: 'Il n’y a rien à connecter ici',
      body: t`Ce lien demande des outils que ${workspace} ne propose pas. Contactez ${workspace}.`,
    }),
    noneWithSignIn: ({ workspace }) => ({
      title: 'Aucun outil ne permet de se connecter',
      body: t`Ce lien n’accepte que les outils auxquels on se connecte, et ${workspace} n’en a configuré aucun. Contactez ${workspace}.`,
    }),
    appMissing: ({ workspace, tool }) => ({
      title: t`${tool} n’est pas encore configuré`,
      body: t`${workspace} doit configurer la connexion à ${tool} avant que vous puissiez l’utiliser ici. Contactez ${workspace}.`,
    }),
    appRemoved: ({ workspace, tool }) => ({
      title: t`${tool} ne peut pas être reconnecté pour le moment`,
      body: t`${workspace} doit d’abord configurer à nouveau la connexion à ${tool}. Votre connexion n’a pas changé. Contactez ${workspace}.`,
    }),
    toolGone: ({ workspace }) => ({
      title: 'Cet outil n’est plus disponible ici',
      body: t`${workspace} ne le propose plus. Rien n’a changé. Contactez ${workspace} si vous en avez encore besoin.`,
    }),
    signIn: ({ workspace, tool, host }) => ({
      title: t`Connecter ${tool} à ${workspace}`,
      body: t`Vous vous connecterez sur ${host}, où vous verrez ce que vous partagez. ${workspace} ne voit jamais votre mot de passe.`,
    }),
    signInAgain: ({ workspace, tool, host }) => ({
      title: t`Reconnecter ${tool} à ${workspace}`,
      body: t`Vous vous connecterez sur ${host}, où vous verrez ce que vous partagez. ${workspace} ne voit jamais votre mot de passe.`,
    }),
    beforeSignIn: ({ workspace, tool, host }) => ({
      title: t`${workspace} a créé cette connexion à ${tool} ; elle n’a pas été vérifiée. Ne continuez que si vous connaissez ${host}.`,
      body: t`Vous pouvez révoquer cet accès à tout moment. Si vous n’avez rien demandé, fermez cette page : rien n’est partagé avec ${workspace}.`,
    }),
    waitingSignIn: ({ tool }) => ({
      title: t`Terminez la connexion à ${tool}`,
      body: t`${tool} est ouvert dans une autre fenêtre. Quand vous aurez terminé, cette page s’actualisera automatiquement.`,
    }),
    popupBlocked: ({ tool }) => ({
      title: 'Votre navigateur a bloqué la fenêtre',
      body: t`Continuez plutôt vers ${tool} dans cette page. Vous reviendrez ici ensuite.`,
    }),
    popupBlockedInFrame: ({ tool }) => ({
      title: 'Votre navigateur a bloqué la fenêtre',
      body: t`Continuez plutôt vers ${tool} dans un nouvel onglet. Ensuite, cette page s’actualisera automatiquement.`,
    }),
    windowClosed: ({ tool }) => ({
      title: 'Connexion non terminée',
      body: t`La fenêtre de connexion à ${tool} semble fermée. Réessayez ou, si elle est encore ouverte, terminez-y : cette page s’actualisera automatiquement.`,
    }),
    checking: ({ tool }) => ({
      title: t`Vérification auprès de ${tool}`,
      body: 'Cela prend quelques secondes. Gardez cette page ouverte.',
    }),
    slow: ({ tool }) => ({
      title: t`${tool} met plus de temps que d’habitude`,
      body: t`Vous pouvez patienter ou réessayer plus tard. Rien n’est connecté tant que ${tool} n’a pas répondu.`,
    }),
    offline: () => ({
      title: 'Vous êtes hors ligne',
      body: 'Ce que vous avez saisi est toujours là. Vérifiez votre connexion à Internet, puis réessayez.',
    }),
    connected: ({ workspace, tool }) => ({
      title: t`${tool} est connecté`,
      body: t`Vous pouvez fermer cette page et revenir à ${workspace}.`,
    }),
    connectedAs: ({ workspace, tool, account }) => ({
      title: t`${tool} est connecté`,
      body: t`Connecté en tant que ${account}. Vous pouvez fermer cette page et revenir à ${workspace}.`,
    }),
    failed: ({ tool }) => ({
      title: t`${tool} n’a pas été connecté`,
      body: 'Rien n’est partagé.',
    }),
    chooseFacts: ({ tool }) => ({
      title: t`Choisissez ce qui sera connecté dans ${tool}`,
      body: t`Votre accès à ${tool} couvre plusieurs possibilités.`,
    }),
    alreadyConnected: ({ tool, account }) => ({
      title: t`Vous avez déjà connecté ${account}`,
      body: t`Mettez à jour la connexion existante à ${tool} ou ajoutez-en une autre. Rien ne change tant que vous n’avez pas choisi.`,
    }),
    expired: ({ workspace, at }) => ({
      title: t`Ce lien a expiré le ${day(at)}`,
      body: t`Demandez-en un nouveau à ${workspace}. Ce que vous avez déjà connecté le reste.`,
    }),
    revoked: ({ workspace }) => ({
      title: t`${workspace} a fermé ce lien`,
      body: t`Demandez-en un nouveau à ${workspace}. Ce que vous avez déjà connecté le reste.`,
    }),
    unknownLink: () => ({
      title: 'Ce lien est introuvable',
      body: 'Il en manque peut-être une partie. Rouvrez-le là où vous l’avez reçu ou demandez-en un nouveau.',
    }),
    full: ({ workspace }) => ({
      title: 'Ce lien a atteint sa limite',
      body: t`Tout ce qu’il permet est déjà connecté. Demandez-en un nouveau à ${workspace}.`,
    }),
    identifierFull: ({ workspace }) => ({
      title: 'Vous avez connecté tout ce que ce lien permet',
      body: t`Pour en connecter davantage, demandez un nouveau lien à ${workspace}.`,
    }),
    alreadyFinished: ({ tool }) => ({
      title: 'C’est déjà fait',
      body: t`Vous avez déjà envoyé ce formulaire pour ${tool}. Rien n’a été fait en double.`,
    }),
    stillRunning: ({ tool }) => ({
      title: t`La vérification auprès de ${tool} est en cours`,
      body: 'Vous avez déjà envoyé ce formulaire. La vérification continue et rien n’est fait en double.',
    }),
    rateLimited: ({ seconds }) => ({
      title: 'Trop de requêtes',
      body: t`Réessayez ${relativeTime(seconds)}. Ce qui est déjà connecté le reste.`,
    }),
    tooManyFailed: ({ seconds }) => ({
      title: 'Trop de tentatives ont échoué',
      body: t`Trop de tentatives depuis votre navigateur ou votre réseau ont été refusées. Réessayez ${relativeTime(seconds)}. Ce qui est déjà connecté le reste.`,
    }),
    notHere: () => ({
      title: 'Cette page ne peut pas s’afficher ici',
      body: 'Ce site ne figure pas parmi ceux qui peuvent l’afficher. Demandez à l’entreprise qui le gère de l’ajouter.',
    }),
    notOurs: () => ({
      title: 'Ce formulaire n’a pas pu être envoyé',
      body: 'Pour votre sécurité, seuls les formulaires de cette page sont acceptés ; rien n’a donc été fait. Rouvrez votre lien et envoyez-y le formulaire.',
    }),
    sessionStart: ({ workspace }) => ({
      title: t`${workspace} vous invite à connecter un outil`,
      body: t`Vous choisirez quoi connecter à la page suivante. Continuez uniquement si vous venez de ${workspace} ; la page ne fonctionnera ensuite que dans ce navigateur.`,
    }),
    sessionStartOne: ({ workspace, tool }) => ({
      title: t`Connecter ${tool} à ${workspace}`,
      body: t`Continuez uniquement si vous venez de ${workspace} ; la page ne fonctionnera ensuite que dans ce navigateur.`,
    }),
    sessionRefused: () => ({
      title: 'Cette page ne peut pas être utilisée',
      body: 'Elle fonctionne une fois, dans un seul navigateur et pour une durée limitée. Retournez là d’où vous venez et recommencez.',
    }),
    sessionUsed: ({ workspace }) => ({
      title: 'Ce lien a déjà été utilisé',
      body: t`Ce à quoi il servait est fait. Pour connecter autre chose, demandez un nouveau lien à ${workspace}.`,
    }),
    sessionElsewhere: ({ workspace }) => ({
      title: 'Ce lien a été ouvert dans un autre navigateur',
      body: t`Pour votre sécurité, il ne fonctionne que dans le premier navigateur qui l’a ouvert. Continuez là-bas, ou demandez un nouveau lien à ${workspace}.`,
    }),
    sessionRequired: () => ({
      title: 'Cette page nécessite une invitation',
      body: 'Retournez dans l’application qui vous a envoyé ici et commencez à partir de là.',
    }),
    wrongAddress: () => ({
      title: 'Ce lien n’est pas valide',
      body: 'Il n’indique pas correctement à qui il est destiné ; rien n’a donc été fait. Contactez l’entreprise qui vous l’a envoyé.',
    }),
    notOffered: ({ workspace, tool }) => ({
      title: t`${tool} n’est plus disponible ici`,
      body: t`${workspace} a modifié ce lien. Rien n’est connecté et nous n’avons rien enregistré de votre saisie.`,
    }),
    wayChanged: ({ workspace, tool }) => ({
      title: t`${tool} se connecte désormais autrement`,
      body: t`${workspace} a modifié cette connexion. Rien n’est connecté et nous n’avons rien enregistré de votre saisie.`,
    }),
    redirectNotAllowed: () => ({
      title: 'Ce lien renvoie à une adresse non autorisée',
      body: 'L’entreprise qui vous l’a envoyé n’a pas autorisé cette adresse ; rien n’a donc été fait. Contactez cette entreprise.',
    }),
    busy: () => ({
      title: 'Nous ne pouvons pas continuer pour le moment',
      body: 'Le problème vient de nous et rien n’a été connecté. Attendez une minute, puis recommencez.',
    }),
    closed: () => ({
      title: 'Vous pouvez fermer cette fenêtre',
      body: 'La page d’où vous venez s’actualisera automatiquement.',
    }),
    notKnown: () => ({
      title: 'Cette page a expiré',
      body: 'Elle a déjà été utilisée ou 10 minutes se sont écoulées. Revenez à la page précédente et recommencez.',
    }),
    finished: () => ({
      title: 'C’est déjà fait',
      body: 'Vous pouvez fermer cette page. La page d’où vous venez indique si la connexion est établie.',
    }),
    adminConsent: () => ({
      title: 'L’autorisation de l’administrateur a été accordée',
      body: 'Rien n’est encore connecté. Retournez dans l’application que vous voulez connecter et commencez là-bas.',
    }),
    startedElsewhere: () => ({
      title: 'Cette connexion doit commencer ailleurs',
      body: 'L’application que vous voulez connecter ne l’a pas lancée : rien n’a été connecté. Ouvrez cette application et connectez-vous depuis celle-ci.',
    }),
    otherBrowser: () => ({
      title: 'Cela a commencé dans un autre navigateur',
      body: 'Pour votre sécurité, nous avons tout arrêté et rien n’a été connecté. Recommencez dans un seul navigateur. Les cookies doivent être autorisés.',
    }),
  },
  portal: {
    start: ({ workspace }) => ({
      title: t`Vos connexions à ${workspace}`,
      body: t`La page suivante montre ce que vous avez connecté à ${workspace}. Continuez seulement si vous venez de ${workspace} ; cette page ne fonctionne ensuite que dans ce navigateur.`,
    }),
    title: ({ workspace }) => t`Vos connexions à ${workspace}`,
    body: 'Déconnectez ce dont vous n’avez plus besoin.',
    attention: ({ count, total }) =>
      plural(count, {
        one: `${number(count)} connexion sur ${number(total)} demande votre attention`,
        other: `${number(count)} connexions sur ${number(total)} demandent votre attention`,
      }),
    none: ({ workspace }) => ({
      title: 'Rien n’est connecté',
      body: t`Les outils que vous connectez à ${workspace} apparaissent ici.`,
    }),
    signedInAs: ({ account }) => t`Connecté en tant que ${account}`,
    connectedOn: ({ at }) => `Ajouté le ${day(at)}`,
    lastUsedOn: ({ at }) => `Dernière utilisation le ${day(at)}`,
    lastUsedAgo: ({ count }) => `Dernière utilisation : ${daysAgo(count)}`,
    neverUsed: 'Pas encore utilisé',
    active: 'Fonctionne',
    unchecked: 'Pas encore vérifié',
    needsReauth: 'Ne fonctionne plus. Connectez-le à nouveau.',
    error: ({ workspace }) =>
      t`Ne fonctionne pas pour le moment. ${workspace} doit corriger le problème.`,
    pending: ({ workspace }) => t`En attente de confirmation par ${workspace}`,
    more: ({ tool, account }) => t`Plus d’actions pour ${tool} : ${account}`,
    disconnect: 'Déconnecter',
    disconnectAccount: ({ tool, account }) => t`Déconnecter ${tool} : ${account}`,
    reconnect: 'Reconnecter',
    reconnectAccount: ({ tool, account }) => t`Reconnecter ${tool} : ${account}`,
    connectFirst: 'Connecter un outil',
    showMore: 'Afficher plus',
    yourConnections: 'Vos connexions',
    ask: ({ tool, workspace }) => ({
      title: t`Déconnecter ${tool} ?`,
      body: t`${workspace} ne pourra plus utiliser cette connexion, et ce que nous avons enregistré sera effacé. Vous pourrez reconnecter ${tool} à tout moment.`,
    }),
    confirm: ({ tool }) => t`Déconnecter ${tool}`,
    keep: 'Garder la connexion',
    disconnected: ({ tool }) => t`${tool} est déconnecté`,
    revoked: ({ tool }) =>
      t`${tool} a confirmé la révocation de l’accès, et nous avons effacé ce que nous avions enregistré.`,
    revocationUnsupported: ({ tool }) =>
      t`Nous avons effacé ce que nous avions enregistré. ${tool} ne nous permet pas de révoquer l’accès ; vous pouvez le faire dans vos paramètres de ${tool}.`,
    revocationFailed: ({ tool }) =>
      t`Nous avons effacé ce que nous avions enregistré, mais ${tool} n’a pas confirmé la révocation. Par sécurité, supprimez l’accès dans vos paramètres de ${tool}.`,
    grantShared: ({ tool }) =>
      t`Nous avons effacé ce que nous avions enregistré. Une autre connexion utilise le même accès à ${tool} ; il sera révoqué quand vous la déconnecterez aussi.`,
    nothingToRevoke: ({ tool }) =>
      t`Nous avons effacé ce que nous avions enregistré. Si vous aviez créé une clé, supprimez-la dans vos paramètres de ${tool}.`,
    gone: () => ({
      title: 'Cette connexion n’est plus dans la liste',
      body: 'Elle est peut-être déjà déconnectée. Rien n’a été modifié.',
    }),
    agents: {
      link: 'Assistants IA',
      ofAccount: ({ tool, account }) => t`Assistants IA et ${tool} : ${account}`,
      ask: ({ tool, workspace }) => ({
        title: t`Que peuvent faire les assistants IA dans ${tool} ?`,
        body: t`Les assistants IA de ${workspace} peuvent utiliser cette connexion, dans les limites fixées par ${workspace}. Vous pouvez les restreindre davantage.`,
      }),
      label: 'Les assistants IA peuvent',
      access: {
        full: 'lire et modifier',
        read_only: 'seulement lire',
        paused: 'ne rien faire',
      },
      save: 'Enregistrer',
      saved: 'Enregistré. Cela s’applique dès maintenant.',
      restricted: {
        read_only: 'Les assistants IA peuvent seulement lire',
        paused: 'En pause pour les assistants IA',
      },
      recent: 'Dernières requêtes',
      none: 'Aucune pour le moment.',
      read: 'Lecture',
      changed: 'Envoyée',
      refused: 'Non envoyée',
      at: ({ at }) => minute(at),
      clients: 'Applications ayant accès à vos connexions',
      endAccess: 'Mettre fin à l’accès',
      endAccessOf: ({ client }) => t`Mettre fin à l’accès : ${client}`,
    },
  },
  failures: {
    access_denied: () =>
      'L’accès a été refusé. Rien n’est partagé. Si c’était une erreur, recommencez.',
    admin_consent_granted: ({ tool }) =>
      t`Un administrateur de ${tool} a donné son autorisation, mais personne ne s’est encore connecté. Recommencez pour connecter votre compte.`,
    already_connected: ({ tool }) =>
      t`Vous avez déjà connecté ${tool} avec ce compte. Recommencez pour mettre à jour cette connexion ou en ajouter une autre.`,
    authorization_request_failed: ({ workspace, tool }) =>
      t`${tool} n’a pas accepté la demande de connexion. Rien n’est partagé. Contactez ${workspace} : la solution ne peut venir que de là.`,
    cancelled: ({ tool }) =>
      t`Vous avez annulé avant la réponse de ${tool}. Rien n’est connecté. Recommencez quand vous voulez.`,
    credentials_rejected: ({ workspace, tool }) =>
      t`${tool} n’a pas accepté votre saisie. Vérifiez-la et réessayez. Cela ne fonctionne toujours pas ? Contactez ${workspace}.`,
    egress_unavailable: ({ workspace, tool }) =>
      t`Nous n’avons pas pu joindre ${tool} à cause d’un problème de réseau de notre côté. Réessayez dans quelques minutes. Cela ne fonctionne toujours pas ? Contactez ${workspace}.`,
    identity_mismatch: ({ tool }) =>
      t`Vous vous êtes connecté à ${tool} avec un autre compte qu’auparavant. Déconnectez-vous là-bas, puis recommencez avec le même compte.`,
    insufficient_scope: ({ tool }) =>
      t`${tool} a accepté cette clé, mais elle n’a pas assez de droits. Ajoutez-les dans ${tool} ou utilisez une autre clé.`,
    integration_failed: ({ workspace, tool }) =>
      t`${tool} n’a pas pu être connecté à cause d’une erreur de notre côté. Réessayez ; si cela se reproduit, contactez ${workspace}.`,
    integration_timeout: ({ workspace, tool }) =>
      t`La connexion de ${tool} a pris trop de temps. Réessayez ; si cela se reproduit, contactez ${workspace}.`,
    key_rejected: ({ workspace, tool }) =>
      t`${tool} n’a pas accepté cette clé. Vérifiez que vous l’avez copiée en entier ou créez-en une nouvelle. Cela ne fonctionne toujours pas ? Contactez ${workspace}.`,
    link_expired: ({ workspace }) => t`Ce lien a expiré. Demandez-en un nouveau à ${workspace}.`,
    link_full: ({ workspace }) =>
      t`Ce lien a atteint sa limite. Demandez-en un nouveau à ${workspace}.`,
    link_identifier_full: ({ workspace }) =>
      t`Vous avez connecté tout ce que ce lien permet. Demandez-en un nouveau à ${workspace}.`,
    link_revoked: ({ workspace }) => t`${workspace} a fermé ce lien. Demandez-en un nouveau.`,
    oauth_app_missing: ({ workspace, tool }) =>
      t`La connexion à ${tool} n’est pas encore configurée. Demandez à ${workspace} de la configurer.`,
    oauth_attempt_invalid: ({ workspace }) =>
      t`${workspace} a modifié quelque chose entre-temps. Revenez en arrière et recommencez.`,
    oauth_issuer_mismatch: ({ tool }) =>
      t`La réponse ne venait pas du site où vous vous êtes connecté à ${tool}. Pour votre sécurité, nous avons tout arrêté. Recommencez.`,
    other_browser: ({ tool }) =>
      t`Vous vous êtes connecté à ${tool} dans un autre navigateur. Pour votre sécurité, nous avons tout arrêté. Recommencez dans un seul navigateur.`,
    oauth_start_revoked: ({ workspace, tool }) =>
      t`${workspace} a retiré cette demande ; ${tool} n’a donc pas été connecté. Contactez ${workspace} si vous souhaitez encore le connecter.`,
    provider_error: ({ tool }) =>
      t`${tool} ne répond pas pour le moment. Réessayez dans quelques minutes.`,
    provider_timeout: ({ tool }) =>
      t`${tool} a mis trop de temps à répondre. Réessayez dans quelques minutes.`,
    rate_limited: ({ tool }) =>
      t`${tool} limite les requêtes en ce moment. Attendez une minute, puis réessayez.`,
    sign_in_overdue: ({ tool }) =>
      t`La connexion à ${tool} n’a pas été terminée en 10 minutes. Recommencez quand vous serez prêt.`,
    sign_in_rejected: ({ workspace, tool }) =>
      t`Vous vous êtes connecté, mais ${tool} a ensuite refusé l’accès accordé. Recommencez ; si cela se reproduit, contactez ${workspace}.`,
    window_replaced: ({ tool }) =>
      t`Vous avez rouvert ${tool} dans une autre fenêtre. Fermez celle-ci et continuez dans l’autre.`,
    wrong_host: ({ tool }) =>
      t`Il n’y a pas de ${tool} à cette adresse. Vérifiez-la ou copiez-la depuis votre navigateur quand vous êtes connecté.`,
    unknown: ({ workspace, tool }) =>
      t`${tool} a donné une réponse inattendue. Recommencez ; si cela se reproduit, contactez ${workspace}.`,
  },
  setup: {
    start: ({ tool, workspace }) => ({
      title: t`Configurer ${tool} pour ${workspace}`,
      body: t`Cette page est destinée à la personne qui administre ${tool} dans votre organisation. Ensuite, elle ne fonctionnera que dans ce navigateur.`,
    }),
    form: ({ tool, workspace }) => ({
      title: t`Configurer ${tool} pour ${workspace}`,
      body: t`${workspace} se connecte à ${tool} avec votre propre application. Créez-la dans ${tool}, puis saisissez ses informations ici.`,
    }),
    steps: ({ tool }) => t`Dans ${tool}`,
    createApp: ({ tool }) =>
      t`Créez une application dans les réglages pour développeurs de ${tool}.`,
    enterAddress: "Saisissez l'URI de redirection ci-dessous comme adresse autorisée.",
    copyDetails: "Copiez l'ID client et le secret client.",
    redirectUri: 'URI de redirection',
    redirectUriHelp: 'Copiez-la exactement, sans barre oblique à la fin.',
    scopes: "Autorisations dont l'application a besoin",
    details: "Informations de l'application",
    clientId: 'ID client',
    issuer: 'Émetteur (issuer)',
    issuerHelp: 'L’adresse du serveur où l’on se connecte, par exemple https://auth.example.com.',
    noIssuer: 'Aucun serveur de connexion n’a été trouvé à cette adresse.',
    clientSecret: 'Secret client',
    clientSecretHelp: "Laissez vide si l'application n'en a pas.",
    check: 'Vérifier et enregistrer',
    saveAnyway: 'Enregistrer quand même',
    note: ({ tool }) => t`Le secret est stocké chiffré et envoyé uniquement à ${tool}.`,
    failed:
      "La vérification a trouvé un problème et rien n'a été enregistré. Corrigez-le et saisissez à nouveau le secret, ou enregistrez quand même.",
    problems: {
      client: ({ tool }) => t`${tool} ne connaît pas cet ID client, ou le secret est incorrect.`,
      unreachable: ({ tool }) => t`${tool} n'a pas répondu à la vérification.`,
      redirectUri: ({ tool }) =>
        t`${tool} n'accepte pas l'URI de redirection. Saisissez exactement celle ci-dessus dans l'application.`,
      notAllowed: ({ workspace }) =>
        t`Le secret ne peut pas encore être envoyé à cette adresse. Demandez à ${workspace} de l'autoriser.`,
    },
    saved: ({ tool, workspace }) => ({
      title: t`${tool} est configuré`,
      body: t`Désormais, votre organisation connecte ${tool} à ${workspace} avec votre application. Vous pouvez le connecter tout de suite.`,
    }),
    connectNow: 'Connecter maintenant',
  },
  agent: {
    start: ({ workspace }) => ({
      title: 'Un assistant attend votre réponse',
      body: t`Un assistant qui travaille pour vous a besoin de votre accord. Continuez vers ${workspace} pour que nous sachions que c’est bien vous ; vous verrez ensuite de quoi il s’agit.`,
    }),
    review: ({ workspace, tool }) => ({
      title: t`Autoriser ceci dans ${tool} ?`,
      body: t`Un assistant dans ${workspace} souhaite envoyer exactement ceci à ${tool}. L’envoi a lieu une seule fois, et seulement si vous l’autorisez.`,
    }),
    as: ({ account }) => t`Avec votre connexion ${account}`,
    details: 'Détails',
    content: 'Contenu',
    file: ({ count }) => `Un fichier de ${number(count)} octets, que nous ne pouvons pas afficher.`,
    allow: 'Autoriser une fois',
    deny: 'Ne pas autoriser',
    allowed: () => ({
      title: 'Autorisé',
      body: 'L’assistant peut le faire une fois, dans les dix minutes qui suivent sa question. Vous pouvez fermer cette page.',
    }),
    denied: () => ({
      title: 'Non autorisé',
      body: 'Rien n’a été envoyé. Vous pouvez fermer cette page.',
    }),
    wrongPerson: ({ workspace }) => ({
      title: 'Ceci est destiné à quelqu’un d’autre',
      body: t`L’assistant ne s’adresse pas à vous : rien n’a été montré ni autorisé. Si quelqu’un vous a envoyé ce lien, prévenez ${workspace}.`,
    }),
    ended: () => ({
      title: 'Cette question est close',
      body: 'Elle a reçu une réponse, le délai est dépassé, ou elle a été ouverte dans un autre navigateur. Demandez à l’assistant de réessayer.',
    }),
  },
  consent: {
    ask: ({ client, workspace }) => ({
      title: t`Autoriser ${client} à utiliser vos connexions ?`,
      body: t`${client} ne fait pas partie de ${workspace}. Si vous l’autorisez, elle peut utiliser ce que vous avez connecté à ${workspace}, jusqu’à ce que ${workspace} y mette fin.`,
    }),
    from: ({ host }) => t`Ce qu’elle dit d’elle-même est publié sur ${host}.`,
    unverified: 'Elle s’est enregistrée elle-même. Personne n’a vérifié son nom.',
    to: ({ host }) => t`Votre réponse est envoyée à ${host}.`,
    local:
      'Votre réponse est envoyée à un programme de cet appareil. N’acceptez que si vous venez d’y commencer une connexion.',
    accounts: ({ workspace }) => t`Vos connexions à ${workspace}`,
    noAccounts: 'Aucune pour l’instant',
    more: 'et d’autres',
    allowRead: 'Autoriser la lecture',
    allowWrite: 'Autoriser lecture et modifications',
    invalid: {
      title: 'Cette connexion ne peut pas continuer',
      body: 'Rien n’a été autorisé. Revenez à votre application et recommencez. Si cette page réapparaît, ses développeurs ont besoin de ces informations :',
    },
  },
  sandbox: {
    title: 'Se connecter à Acme Sandbox',
    body: 'Un outil de test. Ses personnes et ses tickets sont fictifs, et rien ne quitte ce service.',
    access: 'Linchpin demande à lire et à créer des tickets.',
    as: ({ account }) => `Continuer en tant que ${account}`,
    deny: 'Refuser',
    invalid: {
      title: 'Cette connexion ne peut pas continuer',
      body: 'La demande est incomplète. Revenez en arrière et recommencez.',
    },
  },
  host: {
    title: 'Connecter un outil',
    loading: 'Chargement',
    failed: 'L’ouverture a échoué. Fermez, puis réessayez dans un instant.',
    notAllowed:
      'Cela ne peut pas s’ouvrir ici. Demandez à l’entreprise qui gère ce site de l’autoriser.',
    close: 'Fermer',
  },
  labels: {
    'access token': 'Jeton d’accès',
    'account id': 'Identifiant du compte',
    'account sid': 'SID du compte',
    address: 'Adresse',
    'admin api access token': 'Jeton d’accès à l’API Admin',
    'api access token': 'Jeton d’accès à l’API',
    'data center': 'Centre de données',
    'account name': 'Nom du compte',
    'access key': 'Clé d’accès',
    'private key': 'Clé privée',
    'private api key': 'Clé d’API privée',
    'public key': 'Clé publique',
    'app id': 'ID de l’application',
    'app api key': 'Clé d’API de l’application',
    instance: 'Instance',
    workspace: 'Espace de travail',
    'european union': 'Union européenne',
    'api key': 'Clé d’API',
    'api secret': 'Secret d’API',
    'api token': 'Jeton d’API',
    'application key': 'Clé d’application',
    'auth token': 'Jeton Auth',
    'bot token': 'Jeton du bot',
    'client credentials': 'Identifiant et secret client',
    'client id': 'Identifiant client',
    'client identifier': 'Identifiant client',
    'client secret': 'Secret client',
    'company domain': 'Domaine de l’entreprise',
    'consumer key': 'Clé client',
    'consumer secret': 'Secret client',
    domain: 'Domaine',
    'e-mail': 'Adresse e-mail',
    email: 'Adresse e-mail',
    'email address': 'Adresse e-mail',
    'enterprise id': 'Identifiant de l’entreprise',
    environment: 'Environnement',
    host: 'Hôte',
    'key secret': 'Secret de la clé',
    'key sid': 'SID de la clé',
    name: 'Nom',
    organization: 'Organisation',
    password: 'Mot de passe',
    'personal access token': 'Jeton d’accès personnel',
    'personal api token': 'Jeton d’API personnel',
    'personal token': 'Jeton personnel',
    port: 'Port',
    'project id': 'Identifiant du projet',
    'public api token': 'Jeton de l’API publique',
    region: 'Région',
    scopes: 'Autorisations',
    secret: 'Secret',
    'secret key': 'Clé secrète',
    'secret or restricted key': 'Clé secrète ou limitée',
    server: 'Serveur',
    'server api token': 'Jeton d’API du serveur',
    'server to server': 'Serveur à serveur',
    'service account': 'Compte de service',
    'service key': 'Clé de service',
    'service region': 'Région du service',
    site: 'Site',
    store: 'Boutique',
    'store address': 'Adresse de la boutique',
    subdomain: 'Sous-domaine',
    tenant: 'Tenant',
    token: 'Jeton',
    url: 'URL',
    'user id': 'Identifiant de l’utilisateur',
    'user name': 'Nom d’utilisateur',
    username: 'Nom d’utilisateur',
    australia: 'Australie',
    canada: 'Canada',
    china: 'Chine',
    europe: 'Europe',
    india: 'Inde',
    japan: 'Japon',
    'saudi arabia': 'Arabie saoudite',
    'united arab emirates': 'Émirats arabes unis',
    'united kingdom': 'Royaume-Uni',
    'united states': 'États-Unis',
    global: 'Mondial',
    demo: 'Démo',
    live: 'Production',
    production: 'Production',
    sandbox: 'Bac à sable',
    standard: 'Standard',
  },
} satisfies Translation
