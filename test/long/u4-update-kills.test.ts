// Case U4 at length: two hundred updates, each interrupted by a kill -9 at a random moment.
import { it } from 'vitest'
import { Releases } from '../system/update-device.ts'
import { cutOff } from '../system/update-kills.ts'

const points = 200

it('loses no machine and updates each one in the end', async () => {
  const releases = await Releases.build(['1.0.0', '2.0.0'])
  try {
    await cutOff(releases, { points, atOnce: 3 })
  } finally {
    await releases.remove()
  }
})
