import { Link } from '@tanstack/react-router'
import { Compass } from 'lucide-react'
import { buttonClass } from '../ui/Button.tsx'
import { Note } from '../ui/states.tsx'

/** An address that leads nowhere. */
export function NotFound() {
  return (
    <main className="flex min-h-full items-center">
      <Note
        icon={Compass}
        title="There is no such page"
        action={
          <Link to="/" className={buttonClass('primary')}>
            Go to the overview
          </Link>
        }
      >
        The address may be old, or mistyped.
      </Note>
    </main>
  )
}
