import { frFailures } from './failures/fr.ts'
import { getFormatters } from './formatters.ts'
import { t } from './localized-text.ts'
import type { Messages } from './messages.ts'
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
    startAgain: 'Recommencer',
    checkAgain: 'Vérifier à nouveau',
    chooseAnother: 'Choisir un autre outil',
    connectAnother: 'Connecter un autre outil',
    openAgain: 'Rouvrir la fenêtre',
    connect: ({ tool }) => t`Connecter ${tool}`,
    continueTo: ({ tool }) => t`Continuer vers ${tool}`,
    returnTo: ({ workspace }) => t`Revenir à ${workspace}`,
  },
  picker: {
    title: ({ workspace }) => t`Connecter vos outils à ${workspace}`,
    body: 'Choisissez un outil. Rien n’est partagé tant que vous ne l’avez pas connecté.',
    search: 'Rechercher un outil',
    searchButton: 'Rechercher',
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
    category: {
      accounting: 'Comptabilité',
      ai: 'IA',
      analytics: 'Analyse',
      ats: 'Recrutement',
      calendar: 'Agenda',
      crm: 'Relation client',
      developer_tools: 'Développement',
      documentation: 'Documentation',
      hris: 'Personnel',
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
    body: 'Choisissez ce qui est le plus simple pour vous. Vous pouvez déconnecter à tout moment.',
    signIn: ({ tool }) => t`Se connecter à ${tool}`,
    signInLine: ({ host }) => t`Vous vous connectez sur ${host} ; il n’y a rien à copier.`,
    recommended: 'Recommandé',
    apiKey: 'Utiliser une clé API',
    apiKeyLine: ({ tool }) => t`Vous copiez une clé depuis vos paramètres dans ${tool}.`,
    token: 'Utiliser un jeton d’accès',
    password: 'Utiliser un nom d’utilisateur et un mot de passe',
    passwordLine: 'Nous enregistrons le mot de passe chiffré.',
    other: ({ label }) => t`Utiliser ${label}`,
  },
  form: {
    title: ({ tool, workspace }) => t`Connecter ${tool} à ${workspace}`,
    body: ({ workspace, tool }) =>
      t`${workspace} pourra faire dans ${tool} tout ce que ces informations permettent. Nous les vérifions avec ${tool} et les enregistrons chiffrées. Vous pouvez vous déconnecter à tout moment.`,
    bodyForKey: ({ workspace, tool }) =>
      t`${workspace} pourra faire dans ${tool} tout ce que cette clé permet. Nous la vérifions avec ${tool} et l’enregistrons chiffrée. Vous pouvez vous déconnecter à tout moment.`,
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
  failures: frFailures,
}
