import { getFormatters } from './language.ts'
import { t } from './localized-text.ts'
import type { Messages } from './messages.ts'
import { frPortal } from './portal/fr.ts'
import { frStates } from './states/fr.ts'

const { number, plural } = getFormatters('fr')

/** French, polite. */
export const fr: Messages = {
  secured: 'Sécurisé par Linchpin',
  privacy: 'Confidentialité',
  terms: 'Conditions',
  thisApp: 'cette application',
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
  states: frStates,
  portal: frPortal,
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
}
