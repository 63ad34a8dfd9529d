"""Who puts pictures, big ones and many at once, keeps nobody out."""

import io
import random
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

from PIL import Image

from client import Api, Person
from suite.suite import Suite

NEEDS = ["auth"]
PEOPLE, PICTURES, SIGN_INS = 6, 16, 12
#: More than a log-in takes on a machine that is busy; less than the pictures take.
LOG_IN_SECONDS = 12.0
#: As the service has it.
PICTURES_AN_HOUR = 30


def big_picture() -> bytes:
    """Nearly as many pixels as are decoded, in a file that is sent at once."""
    image = Image.new("RGB", (7000, 7000), "red")
    grain = random.Random(5)
    for _ in range(20_000):
        image.putpixel((grain.randrange(7000), grain.randrange(7000)), (0, 0, 255))
    kept = io.BytesIO()
    image.save(kept, "PNG", compress_level=1)
    assert len(kept.getvalue()) < 5 << 20
    return kept.getvalue()


def put(api: Api, content: bytes) -> tuple[int, bool]:
    answer = api.send(
        "PUT", "/v1/users/me/picture", content=content, retry=False,
        headers={"Content-Type": "image/png"},
    )  # fmt: skip
    return answer.status_code, "retry-after" in answer.headers


def test_log_ins_go_on_while_pictures_render(suite: Suite) -> None:
    people = [Person(suite) for _ in range(PEOPLE)]
    content = big_picture()
    begin = threading.Barrier(PEOPLE * PICTURES + 1)

    def hog(person: Person) -> tuple[int, bool]:
        api = Api(suite, person.token)
        api.http.timeout = 120
        begin.wait()
        return put(api, content)

    with ThreadPoolExecutor(PEOPLE * PICTURES) as pool:
        hogs = [pool.submit(hog, person) for person in people for _ in range(PICTURES)]
        begin.wait()
        time.sleep(1)
        taken = []
        for number in range(SIGN_INS):
            person = people[number % PEOPLE]
            started = time.monotonic()
            answer = Api(suite).send(
                "POST", "/v1/sessions", retry=False,
                json={"identifier": person.email, "password": person.password},
            )  # fmt: skip
            taken.append(time.monotonic() - started)
            assert answer.status_code == 201, (number, answer.status_code, answer.text)
        answers = Counter(task.result() for task in hogs)
    assert max(taken) < LOG_IN_SECONDS, taken
    # Some were rendered; who found no place was told so, and when to come again.
    assert set(answers) == {(204, False), (503, True)}, answers


def test_pictures_are_bounded_by_the_hour(suite: Suite) -> None:
    person, other = Person(suite), Person(suite)
    kept = io.BytesIO()
    Image.new("RGB", (8, 8), "red").save(kept, "PNG")
    answers = [put(person, kept.getvalue()) for _ in range(PICTURES_AN_HOUR + 2)]
    assert answers[:PICTURES_AN_HOUR] == [(204, False)] * PICTURES_AN_HOUR
    assert answers[PICTURES_AN_HOUR:] == [(429, True)] * 2
    # What is seen to be none by its first bytes costs nothing, and the others go on.
    assert put(person, b"GIF89a")[0] == 415
    assert put(other, kept.getvalue()) == (204, False)
