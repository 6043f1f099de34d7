import { getFormatters } from '../language.ts'
import { t } from '../localized-text.ts'
import type { PortalMessages } from '../portal-messages.ts'

const { day, daysAgo, number, plural } = getFormatters('pt')

/** Portuguese. */
export const ptPortal: PortalMessages = {
  start: ({ workspace }) => ({
    title: t`Suas conexões com ${workspace}`,
    body: t`A próxima página mostra o que você conectou a ${workspace}. Continue somente se veio de ${workspace}; depois, esta página funciona apenas neste navegador.`,
  }),
  title: ({ workspace }) => t`Suas conexões com ${workspace}`,
  body: 'Desconecte o que não precisa mais.',
  attention: ({ count, total }) =>
    plural(count, {
      one: `${number(count)} de ${number(total)} conexões precisa de atenção`,
      other: `${number(count)} de ${number(total)} conexões precisam de atenção`,
    }),
  none: ({ workspace }) => ({
    title: 'Nada está conectado',
    body: t`As ferramentas que você conecta a ${workspace} aparecem aqui.`,
  }),
  signedInAs: ({ account }) => t`Conectado como ${account}`,
  connectedOn: ({ at }) => `Adicionado em ${day(at)}`,
  lastUsedOn: ({ at }) => `Último uso em ${day(at)}`,
  lastUsedAgo: ({ count }) => `Último uso: ${daysAgo(count)}`,
  neverUsed: 'Ainda não usado',
  active: 'Funcionando',
  needsReauth: 'Parou de funcionar. Conecte de novo.',
  error: ({ workspace }) => t`Não está funcionando no momento. ${workspace} precisa corrigir.`,
  pending: ({ workspace }) => t`Aguardando a confirmação de ${workspace}`,
  more: ({ tool, account }) => t`Mais ações para ${tool}: ${account}`,
  disconnect: 'Desconectar',
  disconnectAccount: ({ tool, account }) => t`Desconectar ${tool}: ${account}`,
  reconnect: 'Reconectar',
  reconnectAccount: ({ tool, account }) => t`Reconectar ${tool}: ${account}`,
  connectFirst: 'Conectar uma ferramenta',
  showMore: 'Mostrar mais',
  yourConnections: 'Suas conexões',
  ask: ({ tool, workspace }) => ({
    title: t`Desconectar ${tool}?`,
    body: t`${workspace} não poderá mais usar esta conexão, e o que armazenamos será apagado. Você pode conectar ${tool} de novo a qualquer momento.`,
  }),
  confirm: ({ tool }) => t`Desconectar ${tool}`,
  keep: 'Manter a conexão',
  disconnected: ({ tool }) => t`${tool} está desconectado`,
  revoked: ({ tool }) =>
    t`${tool} confirmou que revogou o acesso, e apagamos o que tínhamos armazenado.`,
  revocationUnsupported: ({ tool }) =>
    t`Apagamos o que tínhamos armazenado. ${tool} não nos permite revogar o acesso; você pode fazer isso nas suas configurações de ${tool}.`,
  revocationFailed: ({ tool }) =>
    t`Apagamos o que tínhamos armazenado, mas ${tool} não confirmou que revogou o acesso. Por segurança, remova-o nas suas configurações de ${tool}.`,
  grantShared: ({ tool }) =>
    t`Apagamos o que tínhamos armazenado. Outra conexão usa o mesmo acesso a ${tool}; ele será revogado quando você desconectar essa também.`,
  nothingToRevoke: ({ tool }) =>
    t`Apagamos o que tínhamos armazenado. Se você criou uma chave para isto, exclua-a nas suas configurações de ${tool}.`,
  gone: () => ({
    title: 'Esta conexão não está mais na lista',
    body: 'Talvez já tenha sido desconectada. Nada foi alterado.',
  }),
}
