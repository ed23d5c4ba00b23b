import { records } from '../../../background/record.ts'
import { storeSealingKeys } from '../../../fleet/devices/index.ts'
import { sealedValues } from '../../secrets/index.ts'
import { isNotStopped, type OpenCommand, openCommandColumns, sendSealed } from './open-commands.ts'
import { workerSignerOf } from './order-signer.ts'

const findUnopened = {
  name: 'find-unopened-commands',
  text: `SELECT ${openCommandColumns} FROM unnest($1::uuid[], $2::uuid[]) AS u (id, device_id)
    JOIN device_commands c ON c.id = u.id AND c.device_id = u.device_id
    WHERE c.status IN ('pending', 'sent') AND c.expires_at > now() AND ${isNotStopped('c.partner_id')}`,
}

/** Sends commands again whose secrets an agent could not open, sealed to the key that it named. */
export const unopenedCommands = records({
  names: ['unopened'],
  keep: 'all',
  async store(client, received, parts) {
    await storeSealingKeys(
      client,
      received.map(({ deviceId, body: { sealingKey } }) => ({ deviceId, sealingKey })),
    )
    const { rows } = await client.query<OpenCommand>({
      ...findUnopened,
      values: [received.map(({ body }) => body.commandId), received.map(({ deviceId }) => deviceId)],
    })
    const sendAgain = async () => {
      const sealed = await sealedValues(parts.pool, parts.keyring, rows)
      // Without a valid key the agent would answer the same at once. The sweep tries that later.
      const opened = rows.filter(({ id }) => sealed.has(id))
      await sendSealed({ ...parts, signer: workerSignerOf(parts) }, opened, sealed)
    }
    return {
      afterCommit: () =>
        void sendAgain().catch((error: unknown) => parts.log.warn({ err: error }, 'Commands were not sealed again')),
    }
  },
})
