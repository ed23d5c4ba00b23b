import pg from 'pg'
import { afterAll, test } from 'vitest'
import { clientOf, signIn } from './client.ts'
import { stage, visitorAs } from './visitor.ts'

const { acme, url, stores } = stage
const database = new pg.Pool({ connectionString: stores.system, max: 1 })
afterAll(() => database.end())

test('a command that the agent refused shows the code and says what to do', async () => {
  const client = clientOf(url, (await signIn(url, acme)).accessToken)
  const { id } = await client.devices.commands.create.mutate({ id: acme.deviceId, type: 'refresh_inventory' })
  const { page } = await visitorAs(acme, `/devices/${acme.deviceId}?tab=commands&command=${id}`)
  const dialog = page.getByRole('dialog', { name: 'Refresh inventory' })
  await dialog.getByText('Succeeded').waitFor()
  // The agent obeys what the server signs, so its refusal is written here.
  await database.query(
    `UPDATE device_commands SET status = 'failed', error = 'ORDER_REPLAYED: it was obeyed before' WHERE id = $1`,
    [id],
  )
  await page.reload()
  await dialog.getByText('ORDER_REPLAYED: it was obeyed before').waitFor()
  await dialog.getByText('another party may be sending commands').waitFor()
})
