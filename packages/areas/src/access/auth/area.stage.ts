import { testServices } from '@muster/testkit/services.ts'
import { stagePart } from '@muster/testkit/stage.ts'
import { signedIn } from '@muster/testkit/world.ts'
import usersStage from '../users/area.stage.ts'

export default stagePart(async (setting) => {
  const { system } = await testServices()
  const { user } = await usersStage(setting)
  const { sessionId } = await signedIn(user, { scope: 'partner', partnerId: setting.world.partner.id })
  const { rows } = await system.query<{ id: string }>(
    `INSERT INTO passkeys (user_id, credential_id, public_key, name)
     VALUES ($1, gen_random_uuid()::text, '', 'Laptop') RETURNING id`,
    [user],
  )
  return { session: sessionId, passkey: rows[0]?.id ?? '' }
})
