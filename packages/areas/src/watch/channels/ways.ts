import type { WorkerParts } from '../../background/worker-parts.ts'
import { workerPart } from '../../background/worker-parts.ts'
import { connectionsOf, type OutgoingSettings, workerConnections } from '../../platform/deliveries/index.ts'
import { createMailTransport, type MailTransport } from '../../platform/mail/index.ts'
import { type Services, service } from '../../services.ts'
import type { Ways } from './senders.ts'

const mailOf = ({ smtpUrl, mailFrom }: OutgoingSettings): { readonly transport: MailTransport | null } => ({
  transport: smtpUrl === null ? null : createMailTransport(smtpUrl, mailFrom),
})
const workerMail = workerPart(({ settings }) => mailOf(settings.outgoing))
const requestMail = service(({ settings }) => mailOf(settings.outgoing))

export const workerWays = (parts: WorkerParts): Ways => ({
  connections: workerConnections(parts),
  settings: parts.settings.outgoing,
  mail: workerMail(parts).transport,
  publicUrl: parts.settings.publicUrl,
  pool: parts.pool,
  redis: parts.redis,
})

export const requestWays = (services: Services): Ways => ({
  connections: connectionsOf(services),
  settings: services.settings.outgoing,
  mail: requestMail(services).transport,
  publicUrl: services.settings.publicUrl,
  pool: services.system,
  redis: services.redis,
})
