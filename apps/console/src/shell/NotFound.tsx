import { Link } from '@tanstack/react-router'
import { Compass } from 'lucide-react'
import { buttonClass } from '../ui/button/Button.tsx'
import { Note } from '../ui/page/states.tsx'

/** An address without a page. */
export function NotFound() {
  return (
    <div className="flex min-h-full items-center">
      <Note
        icon={Compass}
        level={1}
        title="Page not found"
        action={
          <Link to="/" className={buttonClass('primary')}>
            Go to Home
          </Link>
        }
      >
        Check the address, or start from Home.
      </Note>
    </div>
  )
}
