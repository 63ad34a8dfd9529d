"""Makes projects of ten in I Hate Money's own database, and prints what `bodies.lua` reads.

Run by the interpreter that has it: `ihatemoney_projects.py COUNT`.
"""

import json
import sys

from ihatemoney.models import Person, Project, db
from ihatemoney.run import create_app
from werkzeug.security import generate_password_hash

app = create_app()
with app.app_context():
    # Of one password: hashing it is slow on purpose.
    password = generate_password_hash("correct-horse-battery-7")
    for number in range(int(sys.argv[1])):
        project = Project(
            id=f"flat{number}", name=f"Flat {number}", password=password,
            contact_email="ada@example.org", default_currency="XXX",
        )  # fmt: skip
        db.session.add(project)
        people = [Person(name=f"P{place}") for place in range(10)]
        project.members.extend(people)
        db.session.flush()
        bill = {
            "date": "2026-01-05", "what": "Dinner", "payer": people[0].id,
            "payed_for": [person.id for person in people], "amount": "90.00",
            "bill_type": "Expense",
        }  # fmt: skip
        body = json.dumps(bill, separators=(",", ":"))
        print(f"/api/projects/{project.id}/bills\t{project.generate_token()}\t{body}")
    db.session.commit()
