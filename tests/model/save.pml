/* The lease and the save of docs/formats/state.md and src/tidemark/state: two runs of tidemark and one
   Meltano writer on one ID, with a process that may die anywhere and time that passes anywhere.

   Checked: what was acknowledged stays in the document, whoever writes; only the holder of the lease
   believes that it may save; nobody waits for ever. Each BROKEN_… leaves out one rule, and the check
   must find it:
     BROKEN_SWAP    saves without comparing the revision
     BROKEN_ACK     acknowledges without finding the values again where Meltano was met
     BROKEN_RELEASE does not take a lock that changed hands for a sign of Meltano
     BROKEN_JUDGE   counts the lease from the answer, not from before the request

   The document is a set of bits, one for each writer; its revision is its bytes. Meltano merges: it
   reads, and later writes what it read with its own bit, without looking again. Its check of the lock
   and its writing of the lock are two steps, and it removes whatever lock is there. */

#define RUNS 2
#define MELTANO 3          /* as the writer of a lock or a document */
#define MELTANO_BIT 4
#define MELTANO_SAVES 1
#define NOBODY 0

#define LEASE_TIME 3
#define MARGIN 1
#define GRACE 1
#define END 7

byte document;             /* bit 1 << (me - 1) of each run, MELTANO_BIT */
byte writer;               /* who wrote it last */
byte acknowledged;
byte lock;
byte now;

byte holder;               /* the lease record; nonce is its revision */
byte expires;
byte nonce;

bool meltano_reads;        /* between its reading and its writing */
byte meltano_round;
bool meltano_died;
byte deaths = 1;

#define check_acknowledged() assert((acknowledged & ~document) == 0)

inline may_die() {
  if
  :: true
  :: atomic { deaths > 0 -> deaths-- }; goto dead
  fi
}

/* Reads the record, then replaces it if it is still the one that was read. */
inline take_lease() {
  do
  :: atomic { (holder == NOBODY || now > expires + GRACE) -> found = nonce; sent = now };
     if
     :: atomic { nonce == found -> nonce++; holder = me; expires = sent + LEASE_TIME; mine = nonce };
        break
     :: nonce != found
     fi
  :: now == END -> goto stop
  od;
  judge_lease()
}

inline judge_lease() {
#ifdef BROKEN_JUDGE
  until = now + LEASE_TIME
#else
  until = sent + LEASE_TIME
#endif
}

inline renew_lease() {
  sent = now;
  if
  :: atomic { nonce == mine -> nonce++; expires = sent + LEASE_TIME; mine = nonce };
     judge_lease()
  :: atomic { nonce != mine -> skip }; goto stop
  fi
}

inline take_lock() {
  do
  :: atomic { lock == NOBODY -> lock = me }; break
  /* Unchanged for too long: a run may be stopped, a Meltano has ended in less than that, or died. */
  :: atomic { lock != NOBODY && (lock != MELTANO || meltano_died) -> met = met || lock == MELTANO; lock = me };
     break
  od
}

inline release_lock() {
  if
  :: atomic { lock == me -> lock = NOBODY }
#ifdef BROKEN_RELEASE
  :: atomic { lock != me -> skip }
#else
  :: atomic { lock != me -> met = true }
#endif
  fi
}

/* Long enough for what Meltano read before to be written. */
inline settle() {
  round = meltano_round;
  (!meltano_reads || meltano_round != round)
}

proctype Run(byte me) {
  byte found, mine, sent, until, seen, round;
  bool met;

  take_lease();
start:
  may_die();
  met = false;
  take_lock();
again:
  may_die();
  atomic { seen = document; met = met || writer == MELTANO };
  if
  :: atomic { now + MARGIN < until -> assert(holder == me) }
  :: now + MARGIN >= until -> renew_lease(); goto again
  fi;
  may_die();
  if
#ifdef BROKEN_SWAP
  :: atomic { document = seen | (1 << (me - 1)); writer = me; check_acknowledged() }
#else
  :: atomic { document == seen -> document = seen | (1 << (me - 1)); writer = me }
  :: document != seen -> renew_lease(); goto again
#endif
  fi;
  may_die();
  release_lock();
#ifndef BROKEN_ACK
  if
  :: met ->
     settle();
     if
     :: atomic { (document & (1 << (me - 1))) != 0 -> skip }
     :: (document & (1 << (me - 1))) == 0 -> goto start
     fi
  :: !met
  fi;
#endif
  atomic { acknowledged = acknowledged | (1 << (me - 1)); check_acknowledged() };
  may_die();
  if
  :: atomic { nonce == mine -> nonce++; holder = NOBODY }
  :: nonce != mine
  fi;
stop:
dead:
  skip
}

proctype Meltano() {
  byte saves, seen;
  do
  :: saves < MELTANO_SAVES ->
     saves++;
     if
     :: lock == NOBODY
     :: lock != NOBODY     /* old by its clock, which may be wrong */
     fi;
     lock = MELTANO;
     may_die();
     atomic { seen = document; meltano_reads = true; meltano_round++ };
     may_die();
     atomic {
       document = seen | MELTANO_BIT;
       writer = MELTANO;
       meltano_reads = false;
       check_acknowledged()
     };
     may_die();
     lock = NOBODY
  :: saves == MELTANO_SAVES -> break
  od;
  goto stop;
dead:
  atomic { meltano_died = true; meltano_reads = false };
stop:
  skip
}

proctype Time() {
  do
  :: now < END -> now++
  :: now == END -> break
  od
}

init {
  atomic {
    run Run(1);
    run Run(2);
    run Meltano();
    run Time()
  }
}
